"""The cues of Chinese: how its headlines and quotes are recognised."""

import re

from scstory.text.cues import Cues


def _pattern(*alternatives: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), flags)


CUES = Cues(
    dependent_opening=_pattern(
        r"(?:他|她|它|其|这|那|此|该|对此|不过|但|然而|而|同时|此外|另外|因此|所以|于是|随后|之后|后来|最终|"
        r"最后|其中|另|并|也|还|就|可|且|却|如果|虽然|因为|由于此|当时|目前，他|目前，她|一方面|总之|事实上)"
    ),
    address=_pattern(r"(?<![自本])我(?!国|军|省|市)|咱们|大家|你|您|笔者|小编|本文"),
    furniture=_pattern(
        r"(?:责任)?编辑[：:]|来源[：:]|作者[：:]|记者[：:]|摄影[：:]|图[源片]|供图|图/|文/|截图|视频截|"
        r"版权|转载|点击|扫码|二维码|关注我们|公众号|往期|延伸阅读|相关阅读|更多精彩|详情$|APP|客户端下载"
    ),
    outlet=_pattern(
        r"[网报社台]$|要闻|频道|网站|新闻|日报|晚报|时报|周刊|电视|客户端|媒体|财经|网易|搜狐|新浪|腾讯"
    ),
    label=_pattern(
        r"^(?:[^丨｜|：]{2,8}[丨｜|]\s*|【[^】]{2,10}】\s*|[\[［][^\]］]{2,8}[\]］]\s*"
        r"|(?:突发|快讯|重磅|最新|独家|刚刚|紧急|持续关注|重磅消息)[！!：:，,]\s*)+"
    ),
    question=_pattern(r"为什么|为何|如何|怎么|怎样|什么|谁[是在能会]|吗[？?]?$|是否|[？?]"),
    listing=_pattern(
        r"盘点|一文|回顾|大全|合集|汇总|[一二三四五六七八九十\d]+(?:大|个)(?:看点|问题|细节|原因)"
    ),
    feature=_pattern(r"评论|锐评|社论|观点|快评|时评|热评|漫评|网友|专访|人物|解读|分析|揭秘|深度"),
    lure=_pattern(r"竟然?|震惊|原来|真相|内幕|没想到|惊呆|曝光|太|终于"),
)
