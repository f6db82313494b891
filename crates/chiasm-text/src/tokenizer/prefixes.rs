//! Abbreviations that keep their full stop. The lists are the project's own.

use hashbrown::HashSet;

/// The abbreviations of one language.
#[derive(Default, Debug)]
pub struct Prefixes {
    always: HashSet<&'static str>,
    before_numbers: HashSet<&'static str>,
    /// Single small letters are abbreviations too.
    small_letters: bool,
    /// German writes ordinals with a full stop: der 13. Dezember.
    ordinals: bool,
}

impl Prefixes {
    /// Of a language; others have none but single capitals, which keep their full stop everywhere.
    pub fn of(language: &str) -> Self {
        let (always, before_numbers) = match language {
            "en" => (ENGLISH, ENGLISH_NUMERIC),
            "de" => (GERMAN, GERMAN_NUMERIC),
            "fr" => (FRENCH, FRENCH_NUMERIC),
            _ => ("", ""),
        };
        Prefixes {
            always: always.split_whitespace().collect(),
            before_numbers: before_numbers.split_whitespace().collect(),
            small_letters: matches!(language, "de" | "fr"),
            ordinals: language == "de",
        }
    }

    /// True if `stem` keeps the full stop behind it, where the next word begins with `next`.
    pub fn keeps_full_stop(&self, stem: &[char], next: Option<char>) -> bool {
        if let [initial] = stem {
            return initial.is_uppercase()
                || (self.small_letters && initial.is_ascii_lowercase())
                || (self.ordinals && initial.is_ascii_digit());
        }
        if self.ordinals && stem.len() == 2 && stem.iter().all(char::is_ascii_digit) {
            return true;
        }
        // Every abbreviation is shorter than this.
        if stem.len() > 12 {
            return false;
        }
        let mut buffer = [0u8; 48];
        let mut length = 0;
        for c in stem {
            length += c.encode_utf8(&mut buffer[length..]).len();
        }
        let Ok(stem) = std::str::from_utf8(&buffer[..length]) else {
            return false;
        };
        let number_follows = next.is_some_and(|c| c.is_ascii_digit());
        self.always.contains(stem) || (number_follows && self.before_numbers.contains(stem))
    }
}

const ENGLISH: &str = "
    Mr Mrs Ms Messrs Mmes Dr Drs Prof Profs Rev Fr Hon St Sr Jr Sen Sens Rep Reps Gov Govs Pres Gen Adm Col Lt Capt Cpl
    Sgt Maj Cmdr Brig Ens Pvt Supt Insp Supts Attys Op Ord Asst Assoc Amb Bros Co Cos Corp Inc Ltd Mt Ph Esq Hosp Hr
    MM M MR MRS MS ME Dept Univ vs i.e e.g Adj Bart Bldg Brigadier Comdr Con Messr Mlle Mme Pfc Ref Res Rt Sfc Surg v";
const ENGLISH_NUMERIC: &str = "No Nos Art Nr pp";

const GERMAN: &str = "
    Abs Abschn Abt Adj Adv Akk Allg Anh Anm Apr Art Aufl Aug Bd Bde Bearb Best Bhf Bspw Bzgl Chr Co Dat Dez Dipl Dir
    Dr Ed Eigtl Einl Evtl Fa Feb Forts Fr Frl Geb Gebr Gem Gen Ges Gesch Ggf Hbf Hptst Hr Hrn Hrsg Hs Inc Ing Inh Inkl
    Jan Jh Jhd Jul Jun Kap Lt Ltd Max Mind Min Mio Mr Mrd Mrs Ms Mt Nr Nom Nov Okt Op Pfd Phil Phys Prof Rd Ref Red Rel
    Rev Sa Schr Sen Sept Sgt So Sog Sr St Std Str Stud Tab Tel Theol Tsd Ua Ung Univ Usw Verf Vgl Vs Zb Zit Zt Ztr
    abs abschn allg altdt angebl anm art aufl bd beil bez bgm bspw bzgl bzw ca cf cm cr dgl dh dipl ebd ed eds eh
    eigtl einschl engl entspr etc ev evtl exkl ff folg frz geb geg gem gen ges gest ggf gr griech hg hl hrsg inkl
    insb insbes jährl jew jmd jr kath kgl km lat lt mal max mdl mind min mio mtl mwst möbl nr nördl od op orig pl
    pol pp priv röm s.a s.o s.u sog spez st std stellv str südl svw tel u.a u.ä u.s.w u.v.m usf usw ugs urspr v.a
    v.chr vgl vllt vmtl vorm vs wg z.b z.t z.zt zb zt ztr zw zzgl";
const GERMAN_NUMERIC: &str = "";

const FRENCH: &str = "
    M MM Mme Mmes Mlle Mlles Mr Dr Drs Pr Prof Me Mgr St Ste Sts Stes Vve Av Bd Bld Cie Ets Sté Ltd Inc Jr Sr
    adj adm adv al ann apr art av boul bull ca cap cf ch chap col coll comp dir doc dép ed ex ext fasc fig fr gén hab
    ibid id inf int intr jr jur lieut litt loc mod oct op p pers pl plur préf prof prov qqch qqn réf rép s sc sept
    sing ss suiv sup suppl sv tél trad trans univ v vol vs zool éd env etc";
const FRENCH_NUMERIC: &str = "no No n nos Nos";
