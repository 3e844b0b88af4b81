"""Names of Chinese companies: two syllables and a line of business; the English name says the same in pinyin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._blocks._industries import SECTORS

if TYPE_CHECKING:
    from collections.abc import Sequence

_FIRST = "华中国金安东海天瑞恒新宏盛泰嘉永长江北南西河山川云星光凯康同汇润丰科兴"
_SECOND = "达远信通源力创维成隆泽宇航洋峰林业能华泰安兴祥和顺利德明润阳博诚"
_STEP = 389  # shares no factor with the number of pairs: every pair is tried
_PINYIN = {
    "华": "hua", "中": "zhong", "国": "guo", "金": "jin", "安": "an", "东": "dong", "海": "hai", "天": "tian",
    "瑞": "rui", "恒": "heng", "新": "xin", "宏": "hong", "盛": "sheng", "泰": "tai", "嘉": "jia", "永": "yong",
    "长": "chang", "江": "jiang", "北": "bei", "南": "nan", "西": "xi", "河": "he", "山": "shan", "川": "chuan",
    "云": "yun", "星": "xing", "光": "guang", "凯": "kai", "康": "kang", "同": "tong", "汇": "hui", "润": "run",
    "丰": "feng", "科": "ke", "兴": "xing", "达": "da", "远": "yuan", "信": "xin", "通": "tong", "源": "yuan",
    "力": "li", "创": "chuang", "维": "wei", "成": "cheng", "隆": "long", "泽": "ze", "宇": "yu", "航": "hang",
    "洋": "yang", "峰": "feng", "林": "lin", "业": "ye", "能": "neng", "祥": "xiang", "和": "he", "顺": "shun",
    "利": "li", "德": "de", "明": "ming", "阳": "yang", "博": "bo", "诚": "cheng",
}  # fmt: skip
_BUSINESS = {
    "农林牧渔": "Agriculture", "基础化工": "Chemical", "钢铁": "Steel", "有色金属": "Nonferrous Metals",
    "电子": "Electronics", "家用电器": "Home Appliances", "食品饮料": "Food & Beverage", "纺织服饰": "Textile",
    "轻工制造": "Light Industry", "医药生物": "Pharmaceutical", "公用事业": "Utilities", "交通运输": "Transportation",
    "房地产": "Real Estate", "商贸零售": "Commerce", "社会服务": "Services", "综合": "Industries",
    "建筑材料": "Building Materials", "建筑装饰": "Construction", "电力设备": "Electric Equipment",
    "国防军工": "Aerospace", "计算机": "Software", "传媒": "Media", "通信": "Communications", "银行": "Bank",
    "非银金融": "Financial", "汽车": "Automobile", "机械设备": "Machinery", "煤炭": "Coal", "石油石化": "Petrochemical",
    "环保": "Environment", "美容护理": "Personal Care",
}  # fmt: skip


def named(picks: Sequence[int], sector: int, taken: set[str]) -> tuple[str, str, str, str]:
    """Return the name, short name, English name and brief of a company, of two numbers that were drawn.

    The brief is what new short names are made of (``*ST`` and it; it and ``科技``): the syllables, and as much of the
    line of business as tells it from the companies before.

    Parameters
    ----------
    picks : sequence of int
        The first two choose the syllables.
    sector : int
        Its line of business, an index.
    taken : set of str
        Short and English names and briefs in use, to which its own are added: the next pair of syllables is taken
        instead, or a longer brief.
    """
    industry, pairs = SECTORS[sector], len(_FIRST) * len(_SECOND)
    start = int(picks[0]) % len(_FIRST) * len(_SECOND) + int(picks[1]) % len(_SECOND)
    for n in range(pairs):
        place = (start + n * _STEP) % pairs
        first, second = _FIRST[place // len(_SECOND)], _SECOND[place % len(_SECOND)]
        short = f"{first}{second}{industry[:2]}"
        english = f"{pinyin(first + second)} {_BUSINESS[industry]} Co., Ltd."
        if first != second and short not in taken and english not in taken:
            break
    brief = next((short[:n] for n in (2, 3) if short[:n] not in taken), short)
    taken |= {short, english, brief}
    return f"{first}{second}{industry}股份有限公司", short, english, brief


def pinyin(syllables: str) -> str:
    """Return the pinyin of syllables of names, as one word."""
    return "".join(_PINYIN[syllable] for syllable in syllables).capitalize()
