"""Names and symbols of US companies, made from words that belong to no real one."""

from __future__ import annotations

SECTORS = (
    "Energy",
    "Materials",
    "Industrials",
    "Consumer Discretionary",
    "Consumer Staples",
    "Health Care",
    "Financials",
    "Information Technology",
    "Communication Services",
    "Utilities",
    "Real Estate",
)
SECTORS_ZH = (
    "能源", "原材料", "工业", "可选消费", "必需消费", "医疗保健", "金融", "信息技术", "通信服务", "公用事业", "房地产",
)  # fmt: skip
SIC = (
    (1311, 1381, 2911), (2820, 3312, 1040), (3560, 3721, 4213), (5651, 3711, 5812), (2000, 5411, 2844),
    (2834, 3841, 8071), (6022, 6211, 6331), (7372, 3674, 7370), (4899, 2711, 7812), (4911, 4923, 4941),
    (6798, 6512, 6552),
)  # fmt: skip
FINANCIALS = 6
_FIRST = (
    "Alder", "Ashgrove", "Beacon", "Birchwood", "Blackfen", "Bluewater", "Brightmoor", "Calder", "Cedarline",
    "Clearford", "Copperfield", "Crestholm", "Dunmore", "Eastbrook", "Elmhurst", "Fairhaven", "Falconridge",
    "Fernwick", "Foxmere", "Glenrock", "Granite", "Greyhollow", "Harborline", "Hartwell", "Hawkstone",
    "Highfield", "Ironvale", "Juniper", "Kestrel", "Kingsmere", "Lakemont", "Larkspur", "Lindale", "Longmeadow",
    "Maplecrest", "Marlowe", "Millbrook", "Northgate", "Oakhaven", "Orchard", "Pinecrest", "Quarry",
    "Ravenscroft", "Redcliff", "Ridgeway", "Riverton", "Rosemont", "Saltmarsh", "Sandhill", "Silverlake",
    "Southport", "Stonebridge", "Summerfield", "Sycamore", "Thornbury", "Timberlake", "Tidewell", "Underwood",
    "Vantage", "Walden", "Westhollow", "Whitecap", "Willowbrook", "Windham", "Wolfcreek", "Yarrow", "Zephyr",
)  # fmt: skip
_KIND = (
    ("Petroleum", "Drilling", "Midstream", "Energy"),
    ("Chemical", "Minerals", "Steel", "Packaging"),
    ("Machine Works", "Aerospace", "Freight", "Controls"),
    ("Outfitters", "Motors", "Homes", "Restaurants"),
    ("Foods", "Beverage", "Household", "Grocers"),
    ("Therapeutics", "Biosciences", "Medical", "Diagnostics"),
    ("Bancorp", "Financial", "Insurance", "Capital"),
    ("Software", "Semiconductor", "Systems", "Networks"),
    ("Media", "Communications", "Wireless", "Interactive"),
    ("Power", "Gas & Electric", "Water", "Utilities"),
    ("Realty", "Properties", "Residential", "Storage"),
)
_END = ("Inc.", "Corp.", "Company", "Holdings, Inc.", "Group, Inc.", "Corporation")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def company_name(sector: int, picks: tuple[int, int, int]) -> str:
    """Return a company's name from its sector and three numbers."""
    first, kind, end = picks
    kinds = _KIND[sector]
    return f"{_FIRST[first % len(_FIRST)]} {kinds[kind % len(kinds)]} {_END[end % len(_END)]}"


def symbol(name: str, number: int) -> str:
    """Return the symbol of the company of a number: its name's initial, then letters that only this number has."""
    scrambled = (number * 7919 + 1543) % 26**3  # 7919 is prime: one to one
    letters = "".join(_LETTERS[scrambled // 26**n % 26] for n in range(3))
    return name[0] + letters
