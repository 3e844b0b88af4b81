"""Derived figures by the vendor's column names; a table takes those that it has columns for.

Growth, margins and returns are percentages, turnovers times a period, days of a year of 360. Amounts are yuan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._statement_items import (
    CURRENT_ASSETS,
    CURRENT_LIABILITIES,
    LATER_LIABILITIES,
    NONCURRENT_ASSETS,
    NONCURRENT_LIABILITIES,
    PAYABLES,
    Figures,
)
from finassay.world._tables._statement_context import (
    YEAR_DAYS,
    Context,
    all_equity,
    assets,
    balance,
    cost,
    debt,
    ebit,
    ebitda,
    equity,
    free_cash,
    gross,
    impairment,
    invested,
    long_debt,
    operating_income,
    over,
    owners_cash,
    percent,
    period_expense,
    revenue,
    short_debt,
    tangible,
    value_changes,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from finassay.world._blocks._prices import Ints
    from finassay.world._numerics import Floats

    Read = Callable[[Figures], Ints]
    Rule = Callable[[Context], Floats]


def current(f: Figures) -> Ints:
    """Return current assets."""
    return f.stock(*CURRENT_ASSETS)


def current_owed(f: Figures) -> Ints:
    """Return current liabilities."""
    return f.stock(*CURRENT_LIABILITIES)


def fixed(f: Figures) -> Ints:
    """Return non-current assets."""
    return f.stock(*NONCURRENT_ASSETS)


def later_owed(f: Figures) -> Ints:
    """Return non-current liabilities."""
    return f.stock(*NONCURRENT_LIABILITIES)


def _owed(f: Figures) -> Ints:
    return f.total_liabilities


def _parent(f: Figures) -> Ints:
    return f.parent_profit


def _core(f: Figures) -> Ints:
    return f.core_profit


def _profit(f: Figures) -> Ints:
    return f.net_profit


def _operating(f: Figures) -> Ints:
    return f.operating_profit


def _total(f: Figures) -> Ints:
    return f.total_profit


def _cash(f: Figures) -> Ints:
    return f.operating_cash


def _increase(f: Figures) -> Ints:
    return f.cash_increase


def _working(f: Figures) -> Ints:
    return current(f) - current_owed(f)


def _quick(f: Figures) -> Ints:
    return current(f) - f.stock("INVENTORIES")


def _liquid(f: Figures) -> Ints:
    return f.stock("CASHEQUIVALENTS", "TRADINGASSETS", "ACCOUNTRECEIVABLE", "BILLRECEIVABLE")


def _net_debt(f: Figures) -> Ints:
    return debt(f) - f.stock("CASHEQUIVALENTS")


def _kept(f: Figures) -> Ints:
    return f.stock("SURPLUSRESERVEFUND", "RETAINEDPROFIT")


def _nonoperating(f: Figures) -> Ints:
    return f.flow("NONOPERATINGINCOME") - f.flow("NONOPERATINGEXPENSE")


def _costs(f: Figures) -> Ints:
    return cost(f) + period_expense(f) + f.flow("SURTAX")


def _amount(read: Read) -> Rule:
    return lambda x: read(x.now) / 100.0


def _per_share(read: Read) -> Rule:
    return lambda x: over(read(x.now) / 100.0, x.shares)


def _per_share_12m(read: Read) -> Rule:
    return lambda x: over(x.twelve_months(read) / 100.0, x.shares)


def _weighted(read: Read) -> Rule:
    return lambda x: over(read(x.now) / 100.0, x.weighted)


def _share(top: Read, bottom: Read, *, template: bool = False) -> Rule:
    """Return a percentage; with `template` only where the statements have such items."""
    if template:
        return lambda x: percent(top(x.now), bottom(x.now)) * x.general
    return lambda x: percent(top(x.now), bottom(x.now))


def _share_12m(top: Read, bottom: Read) -> Rule:
    return lambda x: percent(x.twelve_months(top), x.twelve_months(bottom))


def _times(top: Read, bottom: Read, *, template: bool = True) -> Rule:
    if template:
        return lambda x: over(top(x.now), bottom(x.now)) * x.general
    return lambda x: over(top(x.now), bottom(x.now))


def _on_mean(top: Read, bottom: Read) -> Rule:
    return lambda x: percent(top(x.now), x.mean(bottom))


def _on_mean_12m(top: Read, bottom: Read) -> Rule:
    return lambda x: percent(x.twelve_months(top), x.yearly_mean(bottom))


def _annual(rule: Rule) -> Rule:
    return lambda x: rule(x) * 4.0 / x.quarters


def _turnover(top: Read, bottom: Read) -> Rule:
    return lambda x: over(top(x.now), x.mean(bottom)) * x.general


def _days(top: Read, bottom: Read) -> Rule:
    return lambda x: over(x.mean(bottom) * (YEAR_DAYS / 4.0) * x.quarters, top(x.now)) * x.general


def _growth(read: Read) -> Rule:
    return lambda x: x.growth(read)


def _rise(read: Read) -> Rule:
    return lambda x: x.rise(read)


def _three(read: Read) -> Rule:
    return lambda x: x.three_years(read)


def _point_change(rule: Rule) -> Rule:
    """Return the change of a ratio on the year before."""

    def read(x: Context) -> Floats:
        base = Context(x.versions, x.company, np.maximum(x.period - 4, 0), x.known, given=x.given)
        return np.where((x.period >= 8) & x.seen(4), rule(x) - rule(base), np.nan)

    return read


def _relative_change(rule: Rule) -> Rule:
    """Return the growth of a ratio on the year before, in percent."""

    def read(x: Context) -> Floats:
        base = Context(x.versions, x.company, np.maximum(x.period - 4, 0), x.known, given=x.given)
        return 100.0 * (over(rule(x), np.nan_to_num(rule(base)), (x.period >= 8) & x.seen(4)) - 1.0)

    return read


def _weighted_equity(x: Context) -> Floats:
    """Return opening equity, half of the profit, half of what was raised or paid out."""
    now = x.now
    opening = equity(Figures(now.flows, now.opening, now.opening))
    return opening + (now.parent_profit + now.issued - now.flow("DIVIDENDS")) / 2.0


_ar = balance("ACCOUNTRECEIVABLE")
_inventory = balance("INVENTORIES")
_payable = balance("ACCOUNTSPAYABLE")
_plant = balance("FIXEDASSETS")
_bank = balance("CASHEQUIVALENTS")
_receivable_days = _days(revenue, _ar)
_inventory_days = _days(cost, _inventory)
_payable_days = _days(cost, _payable)
_gross_margin = _share(gross, revenue, template=True)
_net_margin = _share(_profit, revenue)
_expense_rate = _share(period_expense, revenue, template=True)
_cash_content = _times(_cash, _parent, template=False)


def _flow(*names: str) -> Read:
    return lambda f: f.flow(*names)


def _finance(f: Figures) -> Ints:
    return f.financial_expense


def _cycle(x: Context) -> Floats:
    return _receivable_days(x) + _inventory_days(x)


RULES: dict[str, Rule] = {
    # Per share
    "EPS": _per_share(_parent),
    "BASICEPS": _weighted(_parent),
    "DILUTEDEPS": _weighted(_parent),
    "EPSCUT": _per_share(_core),
    "BASICEPSCUT": _weighted(_core),
    "DILUTEDEPSCUT": _weighted(_core),
    "EPSTTM": _per_share_12m(_parent),
    "NETASSETPS": _per_share(equity),
    "NAPS": _per_share(equity),
    "MAININCOMEPS": _per_share(revenue),
    "TOTALOPERATEREVENUEPS": _per_share(revenue),
    "TOTALOPERATINGREVENUEPS": _per_share(revenue),
    "OPERATINGREVENUEPSTTM": _per_share_12m(revenue),
    "OPERPROFITPS": _per_share(_operating),
    "EBITPS": _per_share(ebit),
    "EBITDAPS": _per_share(ebitda),
    "CAPITALSURPLUSFUNDPS": _per_share(balance("CAPITALRESERVEFUND")),
    "SURPLUSRESERVEFUNDPS": _per_share(balance("SURPLUSRESERVEFUND")),
    "ACCUMULATIONFUNDPS": _per_share(lambda f: f.stock("CAPITALRESERVEFUND", "SURPLUSRESERVEFUND")),
    "UNDIVIDEDPROFIT": _per_share(balance("RETAINEDPROFIT")),
    "RETAINEDEARNINGSPS": _per_share(_kept),
    "OPERCASHFLOWPS": _per_share(_cash),
    "OPERCASHFLOWPSTTM": _per_share_12m(_cash),
    "CASHFLOWPS": _per_share(_increase),
    "CASHFLOWPSTTM": _per_share_12m(_increase),
    "CASHEQUIVALENTPS": _per_share(_bank),
    "ENTERPRISEFCFPS": _per_share(free_cash),
    "SHAREHOLDERFCFPS": _per_share(owners_cash),
    # Amounts
    "NPFROMPARENTCOMPANYOWNERS": _amount(_parent),
    "NPPARENTCOMPANYOWNERS": _amount(_parent),
    "NETPROFIT": _amount(_profit),
    "NETPROFITCUT": _amount(_core),
    "EBIT": _amount(ebit),
    "EBITDA": _amount(ebitda),
    "EBIT_POSITIVE": _amount(ebit),
    "EBITDA_POSITIVE": _amount(ebitda),
    "WORKINGCAPITAL": lambda x: _working(x.now) / 100.0 * x.general,
    "NETWORKINGCAITAL": lambda x: (_working(x.now) - _bank(x.now) + short_debt(x.now)) / 100.0 * x.general,
    "NETTANGIBLEASSETS": _amount(tangible),
    "INTERESTFREECLIABILITY": _amount(lambda f: f.stock(*PAYABLES)),
    "INTERESTFREENONCL": _amount(lambda f: f.stock(*LATER_LIABILITIES)),
    "INTERESTBEARCLIABILITY": _amount(short_debt),
    "INTERESTBEARNONCL": _amount(long_debt),
    "INTERESTBEARDEBT": _amount(debt),
    "NETDEBT": _amount(_net_debt),
    "RETAINEDEARNINGS": _amount(_kept),
    "TOTALPAIDINCAPITAL": _amount(invested),
    "TOTALSHARES": lambda x: x.shares,
    "PERIODEXPENSE": _amount(period_expense),
    "TOTALCOSTEXPENSE": _amount(_costs),
    "GROSSPROFIT": lambda x: gross(x.now) / 100.0 * x.general,
    "NETINCOMEFROMOPERATING": _amount(operating_income),
    "NETINCFROMVALUECHANGE": _amount(value_changes),
    "NETINTERESTEXPENSE": _amount(_finance),
    "NETNONOPERATING": _amount(_nonoperating),
    "NONRECURRINGPROFITLOSS": _amount(_flow("NONRECURRING")),
    "CURRENTACCRUEDDA": _amount(lambda f: f.depreciation),
    "ENTERPRISEFCF": _amount(free_cash),
    "SHAREHOLDERFCF": _amount(owners_cash),
    "FREECASHFLOW": _amount(free_cash),
    "NETOPERATECASHFLOW": _amount(_cash),
    "CASHEQUIVALENTINCREASE": _amount(_increase),
    "GOODSSALESERVICERENDERCASH": _amount(lambda f: f.cash_from_sales),
    "GOODSSALESERVRENDCASH": _amount(lambda f: f.cash_from_sales),
    # Returns
    "ROE": _share(_parent, equity),
    "ROECUT": _share(_core, equity),
    "ROEAVG": _on_mean(_parent, equity),
    "ROECUTAVG": _on_mean(_core, equity),
    "ROEWEIGHTED": lambda x: percent(_parent(x.now), _weighted_equity(x)),
    "WROE": lambda x: percent(_parent(x.now), _weighted_equity(x)),
    "ROECUTWEIGHTED": lambda x: percent(_core(x.now), _weighted_equity(x)),
    "WROECUT": lambda x: percent(_core(x.now), _weighted_equity(x)),
    "ROETTM": _on_mean_12m(_parent, equity),
    "ANNUALIZEDROE": _annual(_on_mean(_parent, equity)),
    "ROA": _on_mean(_profit, assets),
    "ROACUT": _on_mean(_core, assets),
    "ROATTM": _on_mean_12m(_profit, assets),
    "ROACUTTTM": _on_mean_12m(_core, assets),
    "ANNUALIZEDROA": _annual(_on_mean(_profit, assets)),
    "ROA_EBIT": _on_mean(ebit, assets),
    "ROA_EBITTTM": _on_mean_12m(ebit, assets),
    "ANNUALIZEDROAEBIT": _annual(_on_mean(ebit, assets)),
    "ROIC": _on_mean(lambda f: f.net_profit + f.financial_expense, invested),
    "ROICTTM": _on_mean_12m(lambda f: f.net_profit + f.financial_expense, invested),
    "ANNUALIZEDROIC": _annual(_on_mean(lambda f: f.net_profit + f.financial_expense, invested)),
    # Margins
    "GROSSINCOMERATIO": _gross_margin,
    "GROSSINCOMERATIOTTM": lambda x: _share_12m(gross, revenue)(x) * x.general,
    "SALESCOSTRATIO": _share(cost, revenue, template=True),
    "OPERATINGCOSTRATE": _share(cost, revenue, template=True),
    "NETPROFITRATIO": _net_margin,
    "NETPROFITRATIOTTM": _share_12m(_profit, revenue),
    "NETPROFTOOPREVEN": _net_margin,
    "NETPROFTOOPREVENTTM": _share_12m(_profit, revenue),
    "NPTOTOR": _net_margin,
    "NPTOTORTTM": _share_12m(_profit, revenue),
    "NPPCTOTOR": _share(_parent, revenue),
    "NETPROFITRATIOCUT": _share(_core, revenue),
    "NETPROFITCUTTOTOR": _share(_core, revenue),
    "OPERATINGPROFITRATIO": _share(_operating, revenue),
    "OPERATINGPROFITMARGIN": _share(_operating, revenue),
    "OPERATINGPROFITTOTOR": _share(_operating, revenue),
    "OPERATINGPROFITTOTORTTM": _share_12m(_operating, revenue),
    "OPERATPROFITTOTORTTM": _share_12m(_operating, revenue),
    "OPERATINGPRORATIOTTM": _share_12m(_operating, revenue),
    "TOPROFTOOPERREVENUE": _share(_total, revenue),
    "TOPROFTOOPERREVENUETTM": _share_12m(_total, revenue),
    "EBITTOTOR": _share(ebit, revenue),
    "EBITTOTORTTM": _share_12m(ebit, revenue),
    "EBITDATOTOR": _share(ebitda, revenue),
    "TOTALPROFITCOSTRATIO": _share(_total, _costs),
    "TOPERATINGCOSTTOTOR": _share(lambda f: f.total_cost, revenue),
    "TOPERATINGCOSTTOTORTTM": _share_12m(lambda f: f.total_cost, revenue),
    "PERIODCOSTSRATE": _expense_rate,
    "PERIODCOSTSRATETTM": lambda x: _share_12m(period_expense, revenue)(x) * x.general,
    "OPERATINGEXPENSERATE": _share(_flow("SELLING"), revenue, template=True),
    "OPERATINGEXPENSERATETTM": _share_12m(_flow("SELLING"), revenue),
    "OPERATEXPENSERATETTM": _share_12m(_flow("SELLING"), revenue),
    "ADMINIEXPENSERATE": _share(_flow("ADMINISTRATION"), revenue),
    "ADMINIEXPENSERATETTM": _share_12m(_flow("ADMINISTRATION"), revenue),
    "FINANCIALEXPENSERATE": _share(_finance, revenue, template=True),
    "FINANCIALEXPENSERATETTM": _share_12m(_finance, revenue),
    "FINANCEEXPENSERATETTM": _share_12m(_finance, revenue),
    "RANDDEXPENSERATE": _share(_flow("RESEARCH"), revenue, template=True),
    "ASSETIMPALOSSTOTOR": _share(impairment, revenue),
    "ASSETIMPALOSSTOTORTTM": _share_12m(impairment, revenue),
    "TAXRATIO": _share(_flow("TAX"), _total),
    "EBITASSETRATIO": _on_mean(ebit, assets),
    # Structure and solvency
    "CURRENTRATIO": _times(current, current_owed),
    "QUICKRATIO": _times(_quick, current_owed),
    "SUPERQUICKRATIO": _times(_liquid, current_owed),
    "CASHRATIO": _times(_bank, current_owed),
    "CASHTOCURLIABILITY": _times(_bank, current_owed),
    "DEBTASSETSRATIO": _share(_owed, assets),
    "DEBTEQUITYRATIO": _times(_owed, all_equity, template=False),
    "DEBTEQUITYRATIO_DUPONT": _times(_owed, all_equity, template=False),
    "DEBTTANGIBLEEQUITYRATIO": _times(_owed, tangible, template=False),
    "DEBTTANGIBEQUITYRATIO": _times(_owed, tangible, template=False),
    "EQUITYMULTIPLER": _times(assets, all_equity, template=False),
    "EQUITYMULTIPLER_DUPONT": _times(assets, all_equity, template=False),
    "EQUITYTOASSET": _share(all_equity, assets),
    "SEWITHOUTMITOTL": _times(equity, _owed, template=False),
    "SEWMITOINTERESTBEARDEBT": _times(equity, debt, template=False),
    "SEWTOINTERESTBEARDEBT": _times(equity, debt, template=False),
    "CURRENTASSETSTOTA": _share(current, assets, template=True),
    "NONCURRENTASSETSTOTA": _share(fixed, assets, template=True),
    "CURRENTLIABILITYTOTL": _share(current_owed, _owed, template=True),
    "NONCURRENTLIABILITYTOTL": _share(later_owed, _owed, template=True),
    "NONCURRLIABILITYTOTL": _share(later_owed, _owed, template=True),
    "LONGDEBTTOASSET": _share(long_debt, assets, template=True),
    "BONDSPAYABLETOASSET": _share(balance("BONDSPAYABLE"), assets),
    "LONGDEBTTOEQUITY": _share(long_debt, all_equity, template=True),
    "LONGDEBTTOWORKINGCAPITAL": _times(long_debt, _working),
    "LONGDEBTTOWORKCAPITAL": _times(long_debt, _working),
    "FIXASSETRATIO": _share(_plant, assets),
    "INTANGIBLEASSETRATIO": _share(balance("INTANGIBLEASSETS"), assets),
    "CASHEQUIVALENTSRATIO": _share(_bank, assets),
    "NETTANGIBLEATOTA": _share(tangible, assets),
    "TANGIBLEATOTL": _times(tangible, _owed, template=False),
    "INBEARDEBTASSETSRATIO": _share(debt, assets),
    "INTEBEARDEBTTOTL": _share(debt, _owed),
    "INTBEARDEBTTOTL": _share(debt, _owed),
    "INTEBEARDEBTTOTOTALCAPITAL": _share(debt, invested),
    "INBEARDEBTTOTOTCAPITAL": _share(debt, invested),
    "SEWITHOUTMITOTOTALCAPITAL": _share(equity, invested),
    "SEWMITOTOTALCAPITAL": _share(equity, invested),
    "GOODWILLTOEQUITY": _share(balance("GOODWILL"), equity),
    "WORKINGCAPITALASSET": lambda x: percent(_working(x.now), assets(x.now)) * x.general,
    "RETAINEDEARNINGASSET": _share(_kept, assets),
    "NETLIABILITYRATIO": _share(_net_debt, all_equity),
    "INTERESTCOVER": _times(ebit, _flow("INTEREST")),
    "EBITDATOINTTFINEXP": _times(ebitda, _flow("INTEREST")),
    "NOCFINTERESTCOVER": _times(_cash, _flow("INTEREST")),
    "EBITDATOTLIABILITY": _times(ebitda, _owed, template=False),
    "EBITDATOINTBEARDEBT": _times(ebitda, debt, template=False),
    "OPERCASHINTOCURRENTDEBT": _times(_cash, current_owed),
    "OPERCASHTOCURRENTDEBT": _times(_cash, current_owed),
    "NOCFTOCURRENTLIABILITY": _times(_cash, current_owed),
    "NOCFTOTLIABILITY": _times(_cash, _owed, template=False),
    "OPERCASHFLOWTOTL": _times(_cash, _owed, template=False),
    "OPERCASHINTOTOTALDEBT": _times(_cash, _owed, template=False),
    "NOCFTOINTERESTBEARDEBT": _times(_cash, debt, template=False),
    # Growth
    "OPERATINGREVENUEGROWRATE": _growth(revenue),
    "OPERATINGREVENUEYOY": _growth(revenue),
    "TORGROWRATE": _growth(revenue),
    "TOOPREVENUEGROWRATE": _growth(revenue),
    "OPERPROFITGROWRATE": _growth(_operating),
    "TOTALPROFEIGROWRATE": _growth(_total),
    "TOTALPROFITGROWRATE": _growth(_total),
    "NETPROFITGROWRATE": _growth(_profit),
    "NETPROFITYOY": _growth(_profit),
    "NPPARENTCOMPANYYOY": _growth(_parent),
    "NPPARENTCOMPANYCUTYOY": _growth(_core),
    "NETOPERATECASHFLOWYOY": _growth(_cash),
    "GROSSPROFITGROWRATE": _growth(gross),
    "RANDDEXPENSEGROWRATE": _growth(_flow("RESEARCH")),
    "OPERATINGCOSTGROWRATE": _growth(cost),
    "TOOPCOSTGROWRATE": _growth(lambda f: f.total_cost),
    "NETASSETGROWRATE": _growth(equity),
    "SEWITHOUTMIGROWRATE": _growth(equity),
    "EQUITYGROWRATE": _growth(all_equity),
    "TOTALASSETGROWRATE": _growth(assets),
    "TOLIABGROWRATE": _growth(_owed),
    "CASHEQUIVALGROWRATE": _growth(_bank),
    "CASHEQINCREASEYOY": _growth(_increase),
    "ARGROWRATE": _growth(_ar),
    "INVENTORYGROWRATE": _growth(_inventory),
    "FAEXPANSIONRATE": _growth(_plant),
    "INTEBEARDEBTGROWRATE": _growth(debt),
    "SEWITHOUTMIGROWRATEYTD": lambda x: x.since_year_end(equity),
    "TAGROWRATEYTD": lambda x: x.since_year_end(assets),
    "OPERATINGREVENUEMOM": _rise(revenue),
    "TOPERATINGREVENUEMOM": _rise(revenue),
    "NETPROFITMOM": _rise(_parent),
    "NETPROFMOM": _rise(_profit),
    "OPERPROFITMOM": _rise(_operating),
    "ORCOMGROWRATE3Y": _three(revenue),
    "ORCOMGROWRATETHREEY": _three(revenue),
    "TORGROWRATE3Y": _three(revenue),
    "NPPCCGROWRATE3Y": _three(_parent),
    "NPPCCGROWRATETHREEY": _three(_parent),
    "NETPROFITGROWRATE3Y": _three(_profit),
    "OPERPROFITGROWRATE3Y": _three(_operating),
    "NETASSETGROWRATE3Y": _three(equity),
    "TOTALASSETGROWRATE3Y": _three(assets),
    "BASICEPSYOY": _relative_change(_weighted(_parent)),
    "DILUTEDEPSYOY": _relative_change(_weighted(_parent)),
    "EPSYOY": _relative_change(_per_share(_parent)),
    "NAORYOY": _relative_change(_on_mean(_parent, equity)),
    "NAPSGROWRATE": _relative_change(_per_share(equity)),
    "OPERCASHPSGROWRATE": _relative_change(_per_share(_cash)),
    "GROSSINCOMERATIOYOY": _point_change(_gross_margin),
    "NETPROFITRATIOYOY": _point_change(_net_margin),
    "PERIODCOSTSRATEYOY": _point_change(_expense_rate),
    "SUSTAINABLEGROWRATE": lambda x: percent(
        _parent(x.now) - x.now.flow("DIVIDENDS"), equity(Figures(x.now.flows, x.now.opening, x.now.opening))
    ),
    # Turnover
    "ARTRATE": _turnover(revenue, _ar),
    "ARTDAYS": _receivable_days,
    "INVENTORYTRATE": _turnover(cost, _inventory),
    "INVENTORYTDAYS": _inventory_days,
    "ACCOUNTSPAYABLESTRATE": _turnover(cost, _payable),
    "ACCOUNTSPAYABLESTDAYS": _payable_days,
    "OPERCYCLE": _cycle,
    "NETOPERCYCLE": lambda x: _cycle(x) - _payable_days(x),
    "CURRENTTRATE": _turnover(revenue, current),
    "CURRENTASSETSTRATE": _turnover(revenue, current),
    "FIXEDASSETTRATE": _turnover(revenue, _plant),
    "EQUITYTRATE": _turnover(revenue, equity),
    "NONCURRENTATRATE": _turnover(revenue, fixed),
    "WORKINGCAITALTRATE": _turnover(revenue, _working),
    "TOTALASSETTRATE": lambda x: over(revenue(x.now), x.mean(assets)),
    "TOTALASSETTRATETTM": lambda x: over(x.twelve_months(revenue), x.yearly_mean(assets)),
    "ARTRGROWRATE": _relative_change(_turnover(revenue, _ar)),
    "INVENTORYTRGROWRATE": _relative_change(_turnover(cost, _inventory)),
    "FATRGROWRATE": _relative_change(_turnover(revenue, _plant)),
    # Cash
    "NETPROFITCASHCOVER": _cash_content,
    "NOCFTONPPC": _cash_content,
    "NETPROFITCASHCOVERALL": _times(_cash, _profit, template=False),
    "OPERATINGREVENUECASHCOVER": _times(lambda f: f.cash_from_sales, revenue, template=False),
    "OPERATINGREVECASHCOVER": _times(lambda f: f.cash_from_sales, revenue, template=False),
    "SALESERVICECASHTOOR": _share(lambda f: f.cash_from_sales, revenue),
    "SALESERVICECASHTOORTTM": _share_12m(lambda f: f.cash_from_sales, revenue),
    "CASHRATEOFSALES": _share(_cash, revenue),
    "CASHRATEOFSALESTTM": _share_12m(_cash, revenue),
    "NETOPERCFTOTOOPERREVE": _share(_cash, revenue),
    "OPERCASHINTOASSET": _share(_cash, assets),
    "NETOPERCFTOTOASSETS": _share(_cash, assets),
    "NOCFTOOPERATINGNI": _times(_cash, operating_income, template=False),
    "NOCFTOOPERATINGPROF": _times(_cash, _operating, template=False),
    "NOCFTOEBITDA": _times(_cash, ebitda, template=False),
    "CAPITALEXPENDITURETODM": _times(_flow("CAPEX"), lambda f: f.depreciation, template=False),
    "FREECASHFLOWTONPPC": _times(free_cash, _parent, template=False),
    # Structure of the profit
    "OPERATINGNITOTP": _share(operating_income, _total),
    "VALUECHANGENITOTP": _share(value_changes, _total),
    "INVESTRASSOCIATESTOTP": _share(_flow("ASSOCIATES"), _total),
    "NETNONOPERATINGINCOMETOTP": _share(_nonoperating, _total),
    "NETNONOPERAINCOMETOTP": _share(_nonoperating, _total),
    "OPERPROFITTOTP": _share(_operating, _total),
    "TAXESTOTP": _share(_flow("TAX"), _total),
    "NPCUTTOTP": _share(_core, _total),
    "NONRECURRGLPROPORTION": _share(_flow("NONRECURRING"), _parent),
    "NPPCTONP_DUPONT": _share(_parent, _profit),
    "NPTOTOR_DUPONT": _share(_profit, revenue),
    "NPTOTP_DUPONT": _share(_profit, _total),
    "TPTOEBIT_DUPONT": _share(_total, ebit),
    "EBITTOTOR_DUPONT": _share(ebit, revenue),
    # Dividends
    "DIVIDENDPAIDRATIO": _share(_flow("DIVIDENDS"), _parent),
    "RETAINEDEARNINGRATIO": _share(lambda f: f.parent_profit - f.flow("DIVIDENDS"), _parent),
}

# Sums over twelve months, of lc_derivativedata
SUMS: dict[str, Read] = {
    "TOTALOPERATINGREVENUETTM": revenue,
    "TOTALOPERATINGCOSTTTM": lambda f: f.total_cost,
    "OPERATINGREVENUETTM": revenue,
    "OPERATINGCOSTTTM": cost,
    "GROSSPROFITTTM": gross,
    "OPERATINGEXPENSETTM": _flow("SELLING"),
    "ADMINISTRATIONEXPENSETTM": _flow("ADMINISTRATION"),
    "FINANCIALEXPENSETTM": _finance,
    "ASSETIMPAIRMENTLOSSTTM": impairment,
    "NIFROMOPERATINGTTM": operating_income,
    "NIFROMVALUECHANGETTM": value_changes,
    "OPERATINGPROFITTTM": _operating,
    "NONOPERATINGNETINCOMETTM": _nonoperating,
    "EBITTTM": ebit,
    "TOTALPROFITTTM": _total,
    "NETPROFITTTM": _profit,
    "NPPARENTCOMPANYOWNERSTTM": _parent,
    "SALESERVICERENDERCASHTTM": lambda f: f.cash_from_sales,
    "NETOPERATECASHFLOWTTM": _cash,
    "NETINVESTCASHFLOWTTM": lambda f: f.investing_cash,
    "NETFINANCECASHFLOWTTM": lambda f: f.financing_cash,
    "NETCASHFLOWTTM": _increase,
}
