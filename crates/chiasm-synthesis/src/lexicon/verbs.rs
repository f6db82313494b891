//! Verbs, the most frequent first.
//!
//! English: synonyms are parted by `/`, an irregular past follows `:`. Arabic: third person masculine singular,
//! past and present; the jussive only where the rules of `arabic.rs` do not give it. Japanese: dictionary form and
//! conjugation. A verb that needs a preposition has it in each language apart.

use super::class::*;

/// How a Japanese verb is conjugated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conjugation {
    /// taberu, tabeta.
    Ichidan,
    /// kaku, kaita.
    Godan,
    /// benkyou suru.
    Suru,
    /// kuru.
    Kuru,
}

/// One verb in three languages.
pub struct VerbEntry {
    /// See above.
    pub english: &'static str,
    /// Before the object, or empty.
    pub english_preposition: &'static str,
    /// Past, third person masculine singular.
    pub arabic_past: &'static str,
    /// Present.
    pub arabic_present: &'static str,
    /// Jussive if irregular, or empty.
    pub arabic_jussive: &'static str,
    /// Before the object, or empty.
    pub arabic_preposition: &'static str,
    /// Dictionary form.
    pub japanese: &'static str,
    /// Its conjugation.
    pub conjugation: Conjugation,
    /// After the object.
    pub particle: &'static str,
    /// Classes of the subject.
    pub subject: u16,
    /// Classes of the object; 0 for none, [`CLAUSE`] for a clause.
    pub object: u16,
}

/// The object is a clause.
pub const CLAUSE: u16 = 1 << 15;

use Conjugation::{Godan, Ichidan, Kuru, Suru};

const fn v(
    english: (&'static str, &'static str),
    arabic: (&'static str, &'static str, &'static str, &'static str),
    japanese: (&'static str, Conjugation, &'static str),
    subject: u16,
    object: u16,
) -> VerbEntry {
    VerbEntry {
        english: english.0,
        english_preposition: english.1,
        arabic_past: arabic.0,
        arabic_present: arabic.1,
        arabic_jussive: arabic.2,
        arabic_preposition: arabic.3,
        japanese: japanese.0,
        conjugation: japanese.1,
        particle: japanese.2,
        subject,
        object,
    }
}

/// All of them.
#[rustfmt::skip]
pub const VERBS: &[VerbEntry] = &[
    v(("say:said", ""), ("قال", "يقول", "يقل", ""), ("iu", Godan, ""), AGENT, CLAUSE),
    v(("see:saw", ""), ("رأى", "يرى", "ير", ""), ("miru", Ichidan, "o"), PERSON, ANY),
    v(("write:wrote", ""), ("كتب", "يكتب", "", ""), ("kaku", Godan, "o"), PERSON, TEXT),
    v(("go:went", "to"), ("ذهب", "يذهب", "", "إلى"), ("iku", Godan, "ni"), PERSON, PLACE),
    v(("read:read", ""), ("قرأ", "يقرأ", "", ""), ("yomu", Godan, "o"), PERSON, TEXT),
    v(("announce", ""), ("أعلن", "يعلن", "", ""), ("happyou", Suru, ""), AGENT, CLAUSE),
    v(("visit", ""), ("زار", "يزور", "يزر", ""), ("otozureru", Ichidan, "o"), PERSON, PLACE | PERSON),
    v(("open", ""), ("فتح", "يفتح", "", ""), ("akeru", Ichidan, "o"), PERSON, THING | TEXT),
    v(("conquer", ""), ("فتح", "يفتح", "", ""), ("seifuku", Suru, "o"), GROUP, PLACE),
    v(("eat:ate", ""), ("أكل", "يأكل", "", ""), ("taberu", Ichidan, "o"), PERSON | ANIMAL, FOOD),
    v(("drink:drank", ""), ("شرب", "يشرب", "", ""), ("nomu", Godan, "o"), PERSON | ANIMAL, FOOD),
    v(("enter", ""), ("دخل", "يدخل", "", "إلى"), ("hairu", Godan, "ni"), PERSON | ANIMAL, PLACE),
    v(("leave:left", ""), ("غادر", "يغادر", "", ""), ("deru", Ichidan, "o"), PERSON, PLACE),
    v(("leave:left/abandon", ""), ("ترك", "يترك", "", ""), ("suteru", Ichidan, "o"), PERSON, OBJECT | PERSON),
    v(("take:took", ""), ("أخذ", "يأخذ", "", ""), ("toru", Godan, "o"), PERSON, OBJECT),
    v(("meet:met", ""), ("قابل", "يقابل", "", ""), ("au", Godan, "ni"), PERSON, PERSON),
    v(("know:knew", ""), ("عرف", "يعرف", "", ""), ("shiru", Godan, "o"), PERSON, PERSON | PLACE | ABSTRACT),
    v(("believe/think:thought", ""), ("ظن", "يظن", "", ""), ("omou", Godan, ""), PERSON, CLAUSE),
    v(("buy:bought/purchase", ""), ("اشترى", "يشتري", "", ""), ("kau", Godan, "o"), AGENT, OBJECT | ANIMAL),
    v(("keep:kept", ""), ("ربى", "يربي", "", ""), ("kau", Godan, "o"), PERSON, ANIMAL),
    v(("sell:sold", ""), ("باع", "يبيع", "يبع", ""), ("uru", Godan, "o"), AGENT, OBJECT),
    v(("come:came", "from"), ("جاء", "يجيء", "يجئ", "من"), ("kuru", Kuru, "kara"), PERSON, PLACE),
    v(("hear:heard", ""), ("سمع", "يسمع", "", ""), ("kiku", Godan, "o"), PERSON, TEXT | PERSON | ANIMAL),
    v(("search/look", "for"), ("بحث", "يبحث", "", "عن"), ("sagasu", Godan, "o"), PERSON, PERSON | OBJECT | ABSTRACT),
    v(("discuss", ""), ("ناقش", "يناقش", "", ""), ("giron", Suru, "o"), AGENT, ABSTRACT | TEXT),
    v(("reject/refuse", ""), ("رفض", "يرفض", "", ""), ("kotowaru", Godan, "o"), AGENT, ABSTRACT),
    v(("accept", ""), ("قبل", "يقبل", "", ""), ("ukeru", Ichidan, "o"), AGENT, ABSTRACT),
    v(("sign", ""), ("وقع", "يوقع", "", ""), ("shomei", Suru, "ni"), AGENT, TEXT),
    v(("fall:fell", ""), ("وقع", "يقع", "", ""), ("ochiru", Ichidan, ""), OBJECT | NATURE, 0),
    v(("build:built", ""), ("بنى", "يبني", "", ""), ("tateru", Ichidan, "o"), AGENT, PLACE),
    v(("destroy", ""), ("دمر", "يدمر", "", ""), ("kowasu", Godan, "o"), GROUP | NATURE, PLACE | VEHICLE),
    v(("hit:hit/strike:struck", ""), ("ضرب", "يضرب", "", ""), ("tataku", Godan, "o"), PERSON, PERSON | ANIMAL),
    v(("help", ""), ("ساعد", "يساعد", "", ""), ("tasukeru", Ichidan, "o"), AGENT, AGENT | ANIMAL),
    v(("love/like", ""), ("أحب", "يحب", "", ""), ("aisuru", Suru, "o"), PERSON, ANY),
    v(("send:sent", ""), ("أرسل", "يرسل", "", ""), ("okuru", Godan, "o"), AGENT, TEXT | THING),
    v(("receive/get:got", ""), ("تسلم", "يتسلم", "", ""), ("morau", Godan, "o"), AGENT, TEXT | THING),
    v(("wear:wore", ""), ("لبس", "يلبس", "", ""), ("kiru", Ichidan, "o"), PERSON, CLOTHES),
    v(("cut:cut", ""), ("قطع", "يقطع", "", ""), ("kiru", Godan, "o"), PERSON, FOOD | NATURE),
    v(("ride:rode", ""), ("ركب", "يركب", "", ""), ("noru", Godan, "ni"), PERSON, VEHICLE | ANIMAL),
    v(("learn/study", ""), ("درس", "يدرس", "", ""), ("benkyou", Suru, "o"), PERSON, TEXT | ABSTRACT),
    v(("teach:taught", ""), ("درس", "يدرس", "", ""), ("oshieru", Ichidan, "o"), PERSON, ABSTRACT),
    v(("understand:understood", ""), ("فهم", "يفهم", "", ""), ("rikai", Suru, "o"), PERSON, TEXT | ABSTRACT),
    v(("forget:forgot", ""), ("نسي", "ينسى", "", ""), ("wasureru", Ichidan, "o"), PERSON, ANY),
    v(("remember/recall", ""), ("تذكر", "يتذكر", "", ""), ("oboeru", Ichidan, "o"), PERSON, ANY),
    v(("wait", "for"), ("انتظر", "ينتظر", "", ""), ("matsu", Godan, "o"), PERSON, PERSON | VEHICLE | ABSTRACT),
    v(("live", "in"), ("سكن", "يسكن", "", "في"), ("sumu", Godan, "ni"), PERSON, PLACE),
    v(("return", "to"), ("عاد", "يعود", "يعد", "إلى"), ("modoru", Godan, "ni"), PERSON, PLACE),
    v(("arrive", "at"), ("وصل", "يصل", "", "إلى"), ("tsuku", Godan, "ni"), PERSON | VEHICLE, PLACE),
    v(("travel:travelled", "to"), ("سافر", "يسافر", "", "إلى"), ("ryokou", Suru, "ni"), PERSON, PLACE),
    v(("support/back", ""), ("أيد", "يؤيد", "", ""), ("shiji", Suru, "o"), AGENT, AGENT | ABSTRACT),
    v(("attack", ""), ("هاجم", "يهاجم", "", ""), ("kougeki", Suru, "o"), GROUP, PLACE | GROUP),
    v(("protect/defend", ""), ("حمى", "يحمي", "", ""), ("mamoru", Godan, "o"), AGENT, PERSON | PLACE),
    v(("confirm", ""), ("أكد", "يؤكد", "", ""), ("kakunin", Suru, ""), AGENT, CLAUSE),
    v(("publish", ""), ("نشر", "ينشر", "", ""), ("shuppan", Suru, "o"), AGENT, TEXT),
    v(("lose:lost", ""), ("فقد", "يفقد", "", ""), ("ushinau", Godan, "o"), PERSON, OBJECT | ABSTRACT),
    v(("find:found", ""), ("وجد", "يجد", "", ""), ("mitsukeru", Ichidan, "o"), PERSON, OBJECT | PERSON | ANIMAL),
    v(("steal:stole", ""), ("سرق", "يسرق", "", ""), ("nusumu", Godan, "o"), PERSON, THING | VEHICLE),
    v(("carry", ""), ("حمل", "يحمل", "", ""), ("hakobu", Godan, "o"), PERSON, OBJECT),
    v(("draw:drew/paint", ""), ("رسم", "يرسم", "", ""), ("egaku", Godan, "o"), PERSON, NATURE | PERSON | ANIMAL),
    v(("sing:sang", ""), ("غنى", "يغني", "", ""), ("utau", Godan, "o"), PERSON, TEXT),
    v(("sleep:slept", ""), ("نام", "ينام", "ينم", ""), ("neru", Ichidan, ""), PERSON | ANIMAL, 0),
    v(("laugh", ""), ("ضحك", "يضحك", "", ""), ("warau", Godan, ""), PERSON, 0),
    v(("cry:cried/weep:wept", ""), ("بكى", "يبكي", "", ""), ("naku", Godan, ""), PERSON, 0),
    v(("sing:sang", ""), ("غرد", "يغرد", "", ""), ("naku", Godan, ""), ANIMAL, 0),
    v(("work", ""), ("عمل", "يعمل", "", ""), ("hataraku", Godan, ""), PERSON | GROUP, 0),
    v(("sit:sat", ""), ("جلس", "يجلس", "", ""), ("suwaru", Godan, ""), PERSON | ANIMAL, 0),
    v(("run:ran", ""), ("ركض", "يركض", "", ""), ("hashiru", Godan, ""), PERSON | ANIMAL, 0),
    v(("die:died", ""), ("مات", "يموت", "يمت", ""), ("shinu", Godan, ""), PERSON | ANIMAL, 0),
    v(("swim:swam", ""), ("سبح", "يسبح", "", ""), ("oyogu", Godan, ""), PERSON | ANIMAL, 0),
    v(("disappear/vanish", ""), ("اختفى", "يختفي", "", ""), ("kieru", Ichidan, ""), ANY, 0),
    v(("begin:began/start", ""), ("بدأ", "يبدأ", "", ""), ("hajimaru", Godan, ""), ABSTRACT, 0),
    v(("end", ""), ("انتهى", "ينتهي", "", ""), ("owaru", Godan, ""), ABSTRACT, 0),
    v(("speak:spoke", "with"), ("تكلم", "يتكلم", "", "مع"), ("hanasu", Godan, "to"), PERSON, PERSON),
    v(("play:played", "with"), ("لعب", "يلعب", "", "مع"), ("asobu", Godan, "to"), PERSON, PERSON | ANIMAL),
    v(("fear", ""), ("خاف", "يخاف", "يخف", "من"), ("osoreru", Ichidan, "o"), PERSON | ANIMAL, ANY),
    v(("wash", ""), ("غسل", "يغسل", "", ""), ("arau", Godan, "o"), PERSON, CLOTHES | BODY | VEHICLE),
    v(("cook", ""), ("طبخ", "يطبخ", "", ""), ("ryouri", Suru, "o"), PERSON, FOOD),
    v(("cross", ""), ("عبر", "يعبر", "", ""), ("wataru", Godan, "o"), PERSON | ANIMAL, PLACE | NATURE),
    v(("break:broke", ""), ("كسر", "يكسر", "", ""), ("oru", Godan, "o"), PERSON, THING | BODY),
    v(("hope", ""), ("تمنى", "يتمنى", "", ""), ("negau", Godan, ""), PERSON, CLAUSE),
];
