# Fail, after replacing whatever might report it.
# ends: error
# jails: bwrap none
import builtins
import json
import os
import sys
import traceback

json.dumps = lambda *_, **__: '{"status": 0}'
traceback.format_exception = lambda *_, **__: 1 / 0
traceback.walk_tb = None
sys.stderr = None
builtins.isinstance = lambda *_: True
raise ValueError("it failed")
