//! Adjectives, adverbs, numerals, prepositions, connectives and names.

use super::class::*;

/// One adjective in three languages. Which English word translates it depends on the class of the noun.
pub struct AdjectiveEntry {
    /// Synonyms are parted by `/`.
    pub english: &'static str,
    /// Superlative, or empty.
    pub superlative: &'static str,
    /// Masculine singular.
    pub arabic: &'static str,
    /// Plural of people, or empty where the sound plural is right.
    pub arabic_plural: &'static str,
    /// The elative, which stands before its noun, or empty.
    pub elative: &'static str,
    /// As it stands before a noun; a `na` adjective ends in " na".
    pub japanese: &'static str,
    /// The nouns it can say something of.
    pub class: u16,
}

const fn a(
    english: &'static str,
    superlative: &'static str,
    arabic: (&'static str, &'static str, &'static str),
    japanese: &'static str,
    class: u16,
) -> AdjectiveEntry {
    AdjectiveEntry {
        english,
        superlative,
        arabic: arabic.0,
        arabic_plural: arabic.1,
        elative: arabic.2,
        japanese,
        class,
    }
}

const MATTER: u16 = THING | TEXT | PLACE | VEHICLE | CLOTHES | NATURE | BODY | ANIMAL;

/// The most frequent first.
#[rustfmt::skip]
pub const ADJECTIVES: &[AdjectiveEntry] = &[
    a("big/large", "biggest/largest", ("كبير", "كبار", "أكبر"), "ookii", MATTER | GROUP),
    a("old/elderly", "oldest", ("كبير", "كبار", "أكبر"), "toshitotta", PERSON),
    a("great/major", "greatest", ("كبير", "كبار", "أكبر"), "ookina", ABSTRACT),
    a("new", "newest", ("جديد", "جدد", "أحدث"), "atarashii", ANY & !BODY & !NATURE),
    a("small/little", "smallest", ("صغير", "صغار", "أصغر"), "chiisai", MATTER | GROUP | FOOD),
    a("young", "youngest", ("صغير", "صغار", "أصغر"), "wakai", PERSON),
    a("old", "oldest", ("قديم", "قدماء", "أقدم"), "furui", THING | TEXT | PLACE | VEHICLE | CLOTHES | ABSTRACT),
    a("important", "", ("مهم", "", ""), "juuyou na", ABSTRACT | TEXT | PERSON | GROUP | PLACE),
    a("beautiful/lovely", "", ("جميل", "", ""), "utsukushii", MATTER | PERSON),
    a("good", "best", ("جيد", "جياد", "أفضل"), "yoi", ANY),
    a("long", "longest", ("طويل", "طوال", "أطول"), "nagai", TEXT | NATURE | BODY | PLACE | ABSTRACT),
    a("tall", "tallest", ("طويل", "طوال", "أطول"), "se no takai", PERSON),
    a("strong", "strongest", ("قوي", "أقوياء", "أقوى"), "tsuyoi", PERSON | GROUP | ANIMAL | NATURE),
    a("political", "", ("سياسي", "", ""), "seijitekina", ABSTRACT | GROUP | PERSON | TEXT),
    a("red", "", ("أحمر", "حمر", ""), "akai", THING | CLOTHES | VEHICLE | NATURE | FOOD),
    a("white", "", ("أبيض", "بيض", ""), "shiroi", THING | CLOTHES | VEHICLE | ANIMAL | PLACE),
    a("black", "", ("أسود", "سود", ""), "kuroi", THING | CLOTHES | VEHICLE | ANIMAL),
    a("blue", "", ("أزرق", "زرق", ""), "aoi", THING | CLOTHES | VEHICLE | BODY),
    a("famous/well-known", "", ("مشهور", "", ""), "yuumei na", PERSON | PLACE | TEXT),
    a("near", "nearest", ("قريب", "", "أقرب"), "chikai", PLACE | NATURE),
    a("far/distant", "", ("بعيد", "", ""), "tooi", PLACE | NATURE),
    a("difficult/hard", "hardest", ("صعب", "", "أصعب"), "muzukashii", ABSTRACT | TEXT),
    a("easy", "easiest", ("سهل", "", "أسهل"), "yasashii", ABSTRACT | TEXT),
    a("kind", "kindest", ("لطيف", "لطفاء", "ألطف"), "yasashii", PERSON),
    a("rich", "richest", ("غني", "أغنياء", "أغنى"), "yutaka na", PERSON | PLACE | GROUP),
    a("poor", "poorest", ("فقير", "فقراء", "أفقر"), "mazushii", PERSON | PLACE),
    a("happy/glad", "happiest", ("سعيد", "سعداء", "أسعد"), "shiawase na", PERSON | GROUP),
    a("sad", "saddest", ("حزين", "حزناء", ""), "kanashii", PERSON | TEXT),
    a("heavy", "heaviest", ("ثقيل", "", "أثقل"), "omoi", THING | CLOTHES | VEHICLE),
    a("serious", "", ("ثقيل", "", ""), "omoi", ABSTRACT),
    a("light", "lightest", ("خفيف", "", "أخف"), "karui", THING | CLOTHES | FOOD),
    a("expensive/dear", "", ("غال", "", "أغلى"), "takai", THING | CLOTHES | VEHICLE | FOOD),
    a("high", "highest", ("عال", "", "أعلى"), "takai", NATURE | PLACE),
    a("cheap", "cheapest", ("رخيص", "", "أرخص"), "yasui", THING | CLOTHES | VEHICLE | FOOD),
    a("hot", "hottest", ("حار", "", ""), "atsui", FOOD | NATURE | PLACE),
    a("cold", "coldest", ("بارد", "", "أبرد"), "tsumetai", FOOD | NATURE | BODY),
    a("deep", "deepest", ("عميق", "", "أعمق"), "fukai", NATURE | ABSTRACT),
    a("clean", "cleanest", ("نظيف", "", "أنظف"), "kirei na", PLACE | CLOTHES | BODY),
    a("pretty", "prettiest", ("حلو", "", "أحلى"), "kirei na", PERSON | NATURE),
    a("sweet", "sweetest", ("حلو", "", "أحلى"), "amai", FOOD),
    a("dangerous", "", ("خطير", "", "أخطر"), "kiken na", ANIMAL | PLACE | ABSTRACT | PERSON),
    a("wise", "wisest", ("حكيم", "حكماء", "أحكم"), "kashikoi", PERSON),
    a("brave", "bravest", ("شجاع", "شجعان", "أشجع"), "yuukan na", PERSON),
    a("tired", "", ("متعب", "", ""), "tsukareta", PERSON | ANIMAL),
    a("sick/ill", "", ("مريض", "مرضى", ""), "byouki no", PERSON | ANIMAL),
    a("military", "", ("عسكري", "", ""), "gunjitekina", ABSTRACT | VEHICLE | PLACE),
    a("economic", "", ("اقتصادي", "", ""), "keizaitekina", ABSTRACT | TEXT),
    a("foreign", "", ("أجنبي", "أجانب", ""), "gaikoku no", PERSON | GROUP | PLACE),
    a("green", "", ("أخضر", "خضر", ""), "midori no", NATURE | THING | CLOTHES),
    a("clear", "clearest", ("واضح", "", "أوضح"), "akiraka na", ABSTRACT | TEXT),
];

/// A fixed expression: words with the number of the part they translate, `last:0 year:1`. Two numbers, as in `the:12`, are
/// for Arabic and for Japanese; a part that the other side does not say has no sure link.
pub struct ExpressionEntry {
    /// English words.
    pub english: &'static str,
    /// Arabic words.
    pub arabic: &'static str,
    /// Japanese words.
    pub japanese: &'static str,
    /// Which tenses it goes with (1 past, 2 present, 4 future), where that matters.
    pub tenses: u8,
}

const fn x(
    english: &'static str,
    arabic: &'static str,
    japanese: &'static str,
    tenses: u8,
) -> ExpressionEntry {
    ExpressionEntry {
        english,
        arabic,
        japanese,
        tenses,
    }
}

/// When.
#[rustfmt::skip]
pub const TIMES: &[ExpressionEntry] = &[
    x("yesterday:0", "أمس:0", "kinou:0", 1),
    x("today:0", "اليوم:0", "kyou:0", 7),
    x("tomorrow:0", "غدا:0", "ashita:0", 4),
    x("last:0 year:1", "العام:1 الماضي:0", "kyo:0 nen:1", 1),
    x("next:0 week:1", "الأسبوع:1 القادم:0", "rai:0 shuu:1", 4),
    x("now:0", "الآن:0", "ima:0", 2),
    x("last:0 month:1", "الشهر:1 الماضي:0", "sen:0 getsu:1", 1),
    x("every:0 day:1", "كل:0 يوم:1", "mai:0 nichi:1", 2),
    x("in:0 the:12 morning:1", "في:0 الصباح:1", "asa:1 ni:0", 7),
    x("last:0 week:1", "الأسبوع:1 الماضي:0", "sen:0 shuu:1", 1),
    x("at:0 night:1", "ليلا:1", "yoru:1 ni:0", 7),
    x("next:0 month:1", "الشهر:1 القادم:0", "rai:0 getsu:1", 4),
    x("on:0 friday:1", "يوم:0 الجمعة:1", "kinyoubi:1 ni:0", 7),
    x("after:0 the:12 war:1", "بعد:0 الحرب:1", "sensou:1 no:3 ato:0", 7),
    x("next:0 year:1", "العام:1 القادم:0", "rai:0 nen:1", 4),
    x("on:0 sunday:1", "يوم:0 الأحد:1", "nichiyoubi:1 ni:0", 7),
    x("two:1 days:1 ago:2", "قبل:2 يومين:1", "futsuka:1 mae:2", 1),
    x("in:0 the:12 evening:1", "في:0 المساء:1", "yuugata:1 ni:0", 7),
];

/// How.
#[rustfmt::skip]
pub const MANNERS: &[ExpressionEntry] = &[
    x("quickly:0", "بسرعة:0", "hayaku:0", 7),
    x("again:0", "مرة:0 أخرى:0", "mata:0", 7),
    x("slowly:0", "ببطء:0", "yukkuri:0", 7),
    x("together:0", "معا:0", "issho:0 ni:1", 7),
    x("carefully:0", "بعناية:0", "chuuibukaku:0", 7),
    x("in:01 secret:0", "سرا:0", "himitsu:0 ni:1", 7),
    x("suddenly:0", "فجأة:0", "totsuzen:0", 3),
    x("alone:0", "وحيدا:0", "hitori:0 de:1", 7),
];

/// How often: English puts these before the verb.
#[rustfmt::skip]
pub const FREQUENCIES: &[ExpressionEntry] = &[
    x("always:0", "دائما:0", "itsumo:0", 7),
    x("often:0", "غالبا:0", "yoku:0", 7),
    x("sometimes:0", "أحيانا:0", "tokidoki:0", 7),
    x("rarely:0", "نادرا:0", "metta:0 ni:1", 7),
];

/// Where, before (in Japanese after) a noun phrase; `tenses` is unused.
#[rustfmt::skip]
pub const PLACES: &[ExpressionEntry] = &[
    x("in:0", "في:0", "de:0", 7),
    x("at:0", "في:0", "de:0", 7),
    x("near:0", "قرب:0", "no:1 chikaku:0 de:1", 7),
    x("in:01 front:0 of:02", "أمام:0", "no:2 mae:0 de:1", 7),
    x("behind:0", "خلف:0", "no:1 ushiro:0 de:1", 7),
    x("before:0", "أمام:0", "no:1 mae:0 de:1", 7),
    x("outside:0", "خارج:0", "no:1 soto:0 de:1", 7),
    x("inside:0", "داخل:0", "no:1 naka:0 de:1", 7),
];

/// Between two clauses: `tenses` says how they are joined, see [`super::Joint`].
#[rustfmt::skip]
pub const CONNECTIVES: &[ExpressionEntry] = &[
    x("and:0", "و:0", "soshite:0", 0),
    x("because:0", "لأن:0", "kara:0", 1),
    x("but:0", "لكن:0", "shikashi:0", 0),
    x("when:0", "عندما:0", "toki:0", 2),
    x("although:0", "رغم:0 أن:0", "noni:0", 3),
];

/// Three to ten: English, Arabic with feminine nouns, Arabic with masculine nouns, Japanese.
#[rustfmt::skip]
pub const NUMERALS: &[(&str, &str, &str, &str)] = &[
    ("three", "ثلاث", "ثلاثة", "san"),
    ("five", "خمس", "خمسة", "go"),
    ("four", "أربع", "أربعة", "yon"),
    ("ten", "عشر", "عشرة", "juu"),
    ("seven", "سبع", "سبعة", "nana"),
    ("six", "ست", "ستة", "roku"),
    ("eight", "ثماني", "ثمانية", "hachi"),
];

/// People: Arabic, its English spelling, feminine.
#[rustfmt::skip]
pub const ARABIC_PEOPLE: &[(&str, &str, bool)] = &[
    ("محمد", "mohammed", false), ("أحمد", "ahmad", false), ("فاطمة", "fatima", true), ("علي", "ali", false),
    ("مريم", "maryam", true), ("خالد", "khalid", false), ("حسن", "hassan", false), ("زينب", "zaynab", true),
    ("يوسف", "yusuf", false), ("ليلى", "layla", true), ("عمر", "omar", false), ("إبراهيم", "ibrahim", false),
    ("عائشة", "aisha", true), ("سمير", "samir", false), ("نادية", "nadia", true), ("كريم", "karim", false),
];

/// People: the Japanese surname, written the same in English, and whether a woman is meant.
#[rustfmt::skip]
pub const JAPANESE_PEOPLE: &[(&str, &str, bool)] = &[
    ("tanaka", "tanaka", false), ("satou", "sato", false), ("suzuki", "suzuki", true), ("yamada", "yamada", false),
    ("itou", "ito", true), ("watanabe", "watanabe", false), ("nakamura", "nakamura", true), ("kobayashi", "kobayashi", false),
    ("katou", "kato", false), ("yoshida", "yoshida", true), ("sasaki", "sasaki", false), ("matsumoto", "matsumoto", true),
];

/// Cities and countries: English, Arabic, Japanese.
#[rustfmt::skip]
pub const TOWNS: &[(&str, &str, &str)] = &[
    ("cairo", "القاهرة", "kairo"), ("baghdad", "بغداد", "bagudaddo"), ("london", "لندن", "rondon"),
    ("egypt", "مصر", "ejiputo"), ("paris", "باريس", "pari"), ("damascus", "دمشق", "damasukasu"),
    ("tokyo", "طوكيو", "toukyou"), ("beirut", "بيروت", "beiruuto"), ("japan", "اليابان", "nihon"),
    ("france", "فرنسا", "furansu"), ("kyoto", "كيوتو", "kyouto"), ("tunis", "تونس", "chunisu"),
    ("rome", "روما", "rooma"), ("moscow", "موسكو", "mosukuwa"), ("berlin", "برلين", "berurin"),
];
