"""English words that say little about what a text is about: articles, pronouns, prepositions, auxiliary verbs.

Words of judgement, degree and negation (not, no, very, against) are not among them: a model of sentiment needs them.
"""

from __future__ import annotations

_ARTICLES = "a an the this that these those"
_PRONOUNS = (
    "i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself "
    "we us our ours ourselves they them their theirs themselves one who whom whose which what"
)
_PREPOSITIONS = (
    "about above across after along among around as at before behind below beneath beside between beyond by during for "
    "from in inside into near of on onto out outside over past since through throughout till to toward towards under "
    "until unto up upon via with within"
)
_CONJUNCTIONS = (
    "and because both but either if nor or so than then though although unless when where whereas while whether"
)
_VERBS = (
    "am is are was were be been being do does did doing done has have had having can could may might must shall should "
    "will would i'm you're he's she's it's we're they're i've you've we've they've i'd you'd he'd she'd we'd they'd "
    "i'll you'll he'll she'll it'll we'll they'll that's there's who's what's here's let's"
)
_ADVERBS = "also here there how just now once thus too why again any each few more most other own same some such all"

ENGLISH: tuple[str, ...] = tuple(
    sorted({*" ".join((_ARTICLES, _PRONOUNS, _PREPOSITIONS, _CONJUNCTIONS, _VERBS, _ADVERBS)).split()})
)
"""The list of ``stop_words="english"``."""
