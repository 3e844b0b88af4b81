"""Find the words of time or knowledge that are left in an instruction when all that was read is taken out."""

from __future__ import annotations

import re
from collections.abc import Iterable

from finassay.temporal._plain_words import first_unknown

Span = tuple[int, int]

_N = r"[\d一二两三四五六七八九十几数半]+"
_UNIT = r"(?:个|期)?\s*(?:完整|会计|历史|自然|可比|可得|单)*(?:交易日|工作日|季度|年度|报告期|年报|季报|[日天周月季年])"
_REPORT = (
    r"(?:合并|母公司)?(?:(?:年度?|半年度?|季度?|中期?|定期)?(?:财务)?(?:报告期?|报表)"
    r"|[一三中半年季]{1,2}报|财报|单季(?:报告)?)(?:期?末|期)?"
)
_YEAR = r"(?:19|20)\d\d"

# Words of knowledge that were read: the date named again, and reports by what was disclosed of them on it.
_OF_REPORTS = re.compile(
    r"(?:截至)?\s*(?:该|此)?(?:观察日|观测日|观察时点|截面日|截止日)(?:当[日天])?(?:之?前|当时)?(?:的)?"
    rf"\s*(?:最[后近]\s*(?:{_N}\s*)?(?:个)?交易日|{_N}\s*个?交易日)?|截至(?:该日|当[日天]|最新净值日|·)"
    rf"|(?:净值统计)?截[止至]日(?:期)?"
    rf"|(?:最近|最新|近|前后?)?\s*(?:{_N}\s*)?(?:个|期)?\s*(?:最新|已|均|当时"
    rf"|可)+(?:经)?(?:完整)?(?:披露|发布|公布|公告|可?得|获得)"
    rf"(?:的|最近|最新|同一|合并|可比|{_N}|[个期])*\s*(?:{_REPORT}|季度|年度|会计年度|(?:CPI)?\s*月份)?"
    rf"|(?:财报|·|信息)?(?:披露|发布"
    rf"|公告)(?:日期?)?后\s*[\d、，,\s]+个?\s*(?:A\s*股\s*)?交易日(?=[^，。；]{{0,8}}(?:收益|表现"
    rf"|为持有期))"
    r"|·\s*披露的(?:、|和|与|年报|半年报|一季报|中报|三季报|季报|财报)+"
    r"|(?:尚|仍)?未(?:披露|公布|发布|公告)(?=[^，。；]{0,12}的(?:公司|股票|企业|基金|主体|发行人))"
    r"|“未(?:披露|分类|评级)”"
    r"|信息(?:发布|披露|公告)日期|公告日期?(?=[、，。])|(?:半?年报|和|季报)+披露的|违约(?:相关)?公告"
    r"|(?:收益率|(?:修正)?久期|估值|实际)(?:均)?可用(?:样本)?|不晚于(?=观察日|·)|信息(?=技术|服务|传输|比率|系数)"
    r"|滞后(?:阶数|期数)|情景假设"
    # what the end of the day takes in and leaves out
    r"|当日(?:披露|发布|公告|公布|入库|成交|、|或|和|及|与|·)+的?(?:均|都)?(?:可用|计入)"
    r"|[次翌]日零[时点]起的?(?:一律|均|都)?不可用"
    r"|·?\s*当日及[之以]后的?(?:一律|均|都)?不可用|含当[日天]|items disclosed on it count"
    r"|no later (?:filings|information|data)"
    r"|as (?:reported|stated) (?:by|in) (?:filings|reports)",
    re.IGNORECASE,
)
# Data or information of what was read: "the data disclosed by then".
_OF_READ = re.compile(
    r"(?:[仅只](?:使用|用))?\s*·[·的\s]*(?:数?据|信息)(?:为准)?|数据\s*·|[仅只](?:使用|用)\s*·+"
)
# Words of time that were read as of a report, a backward window, an age, a case that is none of time.
_OF_FIGURES = re.compile(
    rf"(?:近|最近|过去|此前|连续|至少|不少于|持续|满|不足|未满|超过|成立|上市|持有|间隔|回看"
    rf"|最新)\s*(?:{_N}\s*){_UNIT}(?:末|内|以上|以来)?(?:的?数据)?"
    rf"|(?:[自从]\s*)?{_YEAR}\s*年?\s*(?:Q[1-4]|{_REPORT}|年度|全年|[一二三四]季度|(?:-\d+)?\s*以来| annual report)"
    rf"|{_YEAR}(?:[、和]\s*{_YEAR})+\s*(?:年(?:年度)?|两?个)?|{_YEAR}\s*年(?=曾)|前一年度(?=年报)"
    rf"|{_REPORT}|(?:[去上]年|上[月季])同期|较上[月季年]|同[一]?[月季]度?(?=均|数据)"
    rf"|[每各][日天月季年](?:年|度)?末?|月末(?=观测值|过去|无)|(?:各|每)?半年末(?:前最后一个交易日)?"
    rf"|年末(?=复盘|策略|养老|盘点)|[两三四]季累计|该日最后|首次[^，。；]{{0,12}}后的第一个交易日"
    r"|(?:剔除|去除|排除|扣除|跌破|突破)[^，。；]{0,24}?后|·\s*全年"
    rf"|不含当月|当月(?:及前\s*{_N}\s*个月)?|个自然年度|往前\s*{_N}\s*个?月作为样本"
    r"|当日(?=仍|尚|存续|有效|国债|曲线|直接|连板|推荐|估值|中证)"
    r"|(?:若|如果)(?=[^，。；]{0,20}(?:并列|相同|[只个家名类条]|组合|基金对|为正|相关|流入|代码))"
    r"|(?<=股票)后$|(?<=样本)后$|(?<=公司)后$|(?<=基金)后$|(?<=债券)后$"
    r"|\bt\s*(?=检验|统计量|值|[-(]?stat|$)|未来\s*(?:·|[\d一二两三]+\s*个?[年月])内?(?:集中)?到期|[·日]后的?(?=年化|[、，]|期限)"
    r"|否则(?=[^，。；]{0,4}(?:选择|给出|标记|归为))"
    r"|(?:the )?(?:last|past|trailing|latest) (?:\w+|\d+) (?:trading |business )?(?:days|sessions|weeks"
    r"|months|quarters|years)"
    r"|\d+[- ](?:trading[- ])?(?:day|week|month|quarter|year)\b|(?:annual|quarterly|interim|half-year) reports?"
    r"|(?:fiscal|financial) year(?: 20\d\d)?|year[- ](?:on|over)[- ]year",
    re.IGNORECASE,
)
# Moves what is known to another day, or supposes another world than the one that is written: always a doubt.
_MOVES = re.compile(
    r"盘[前后]|(?<!复)盘中|尾盘|[早午夜]盘|[夜晚晨]|(?<!最)早(?!于)|隔[日夜]|午间|竞价|前视|事[前后先]|随后|其后|[此以之日往]后|后续"
    r"|下[一]?个?(?:期|年|季|月|半年|报告期|财年)|次[年季月]|[明来今后本当]年|本[季期月]|远期|滚动[到至]"
    r"|当前的?(?:成[分份]|名单|样本|标准|分类|口径)|现[行今在有]|今[天日]|如今|眼下|[到至]最新|second half|\bhours?\b"
    r"|\bcurrent (?:members|constituents|list|index|composition)|\bcurrently\b|\bnow(?:adays)?\b"
    r"|只有|周[一二三四五六日末]|星期|礼拜|\b(?:sun|mon|tues|wednes|thurs|fri|satur)days?\b"
    r"|\b(?:overnight|nights?|after[- ]hours|extended[- ]hours|(?:pre|post)[- ]?(?:market|open|close)|the bell|dawn"
    r"|next|following|after|later|tomorrow|until|till|final|upcoming|forthcoming|foresight|hindsight)\b"
    r"|提前|推迟|延[迟后期]|顺延|滞后|时滞|[往向前]前推|倒推|回退|前移|后移|截[至止点]|假[设定如]|倘若"
    r"|除非|视[为同](?=[^，。；]{0,6}[可已未得])|当[作没]|没看|站在|回到"
    r"|休市|停市|非交易|节假|假[期日]|节[前后日]|春节|国庆|长假|周末|闭市|忽略|无视|不可?(?:得|用|知|看)"
    r"|不(?:算|计入|作数|考虑|使用|采用)|[才方](?:可|能|算)"
    r"|\bT\s*[-+−]\s*\d\s*日?(?!\.)|\bas (?:of|at)\b|\bcut-?offs?|\bignor\w*|\bdisregard\w*|\bassum\w*"
    r"|\bsuppos\w*|\bpretend\w*|\bimagin\w*"
    r"|\bst(?:and(?:ing)?|ood)\b|\blag\w*|\bdelay\w*|\bshift\w*|\broll(?:s|ed|ing)? (?:back|forward)"
    r"|\bunless\b|\bholiday|\bweekend|\bnon-trading|\bembargo"
    r"|\b(?:is|are|was|were) (?:closed|shut)\b|\b(?:look|see|peek|treat)\b|\b(?:do|must|should|may|can|is"
    r"|are) ?not (?:be )?(?:us|count|look|consider|avail|known)\w*"
    r"|\b(?:that|the same|same)[- ]day\b(?!'s close)",
    re.IGNORECASE,
)
# Says that something is known, and so takes a word of time beside it for when it is.
_KNOWN = re.compile(
    r"信息|知(?!名|识产权)|可[得用见]|看[到见]|见到|获悉|掌握|消息|新闻|披露|公[布告开]|发布"
    r"|\binformation|\bkn[eo]w\w*|\blearn\w*|\bdisclos\w*|\bpublish\w*|\bpublic\b|\bannounc\w*"
    r"|\breleas\w*|\bfil(?:ed|ings?)\b|\bavailab\w*",
    re.IGNORECASE,
)
_DATA = re.compile(r"数据|\bdata\b", re.IGNORECASE)
# Units and relations of time.
_TIME = re.compile(
    rf"(?:{_N}|[上下前后次翌当本该同去今明昨每隔首末])\s*(?:个)?(?:交易|工作|自然"
    rf"|会计)?(?:[日天周月季年](?!报|线|化)|星期|礼拜|旬)"
    r"|半年|第[一二三]天|[日天周月季年](?:度)?[前后初中末底]|[之此][前后]|以后|以前(?![一二\d])|早于|晚于"
    r"|先于|早些|稍[早晚]|提早|随后|其后|期[初末]|若|如果|如(?=遇|逢|无)|[遇逢]|否则|昨|明天"
    r"|[十一二三四五六七八九\d]+月[初中末上下]"
    rf"|\b{_YEAR}\b|\b(?:(?-i:May)(?! (?:not|be|use|i)\b)|january|february|march|april|june|july|august"
    rf"|september|october|november|december|christmas|thanksgiving)\b"
    r"|\b(?:hours?|days?|sessions?|weeks?|fortnights?|months?|quarters?|half|years?)(?:-end)?\b"
    r"|\b(?:day|session|week|fortnight|month|quarter|half|year)(?:['’]?s)?(?:-end)?\b|\b(?:before|after"
    r"|earlier|later|previous|prior|preceding|next"
    r"|following|final|until|till|since|ago|if|when|whenever|once|except|today|yesterday|tomorrow|evening"
    r"|start|beginning|by then|instead|otherwise)\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"收益|涨|跌|成交|[收开]盘|价|均[线值]|日均|换手|市值|净值|估值|P[EBS]G?\b|RO[EA]|TTM|[同环]比"
    r"|增[速长]|营收|收入|利润|毛利|净利|现金|资产|负债|权益"
    r"|商誉|股息|分红|派息|波动|标准差|分位|系数|斜率|回撤|[率额量]|(?:天|月|次|家|系|倍|股|份|期|阶|公司"
    r"|样本)数|差[值额]|[占对]比|比[例率重值]|IC\b|规模|份额|资金|余额|费用|评级|因子|[得高低]分|F-Score"
    r"|中位数|业绩|期限|久期|到期"
    r"|\b(?:matur\w*|returns?|prices?|clos(?:e|ing)|volumes?|turnover|revenues?|sales|profits?|income"
    r"|margins?|earnings|eps|growth|ratios?|yields?|dividends?"
    r"|volatility|drawdowns?|means?|averages?|medians?|sums?|correlations?|aum|caps?|assets|equity|debts?"
    r"|cash)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[，。；：（）\n,;:()]|\.(?:\s|$)")


def left_unread(text: str, read: Iterable[Span], *, strict: bool = False, names: bool = True) -> str | None:
    """Return the first word that no reading accounts for and that may bear on time or knowledge; or None.

    ``read`` are the places of what was read: dates, windows, rhythms, versions, labels. A unit or a relation of time in
    a clause with a figure ("the mean close of 20 days") describes the figure, unless the clause says what is known, or
    the reader is ``strict``. What is left must be plain words of a research task, and ``names`` beside them.
    """
    letters = list(text)
    for start, end in read:
        letters[start:end] = "·" * (end - start)
    rest = _OF_READ.sub("·", _OF_REPORTS.sub("·", re.sub("·+", "·", "".join(letters))))
    for clause in _CLAUSE.split(rest):
        if moved := _MOVES.search(clause):
            return moved.group().strip()
        unread = clause
        if not _KNOWN.search(clause):
            unread = _OF_FIGURES.sub("·", clause)
            if not strict and _FIGURE.search(unread) and not _DATA.search(unread):
                unread = re.sub(r"·\s*[前后里内初末]|[前后]\s*(?=·)", "·", _TIME.sub("·", unread))
        if word := _TIME.search(unread):
            return word.group().strip()
        if unknown := first_unknown(unread, names=names):
            return unknown
    return None
