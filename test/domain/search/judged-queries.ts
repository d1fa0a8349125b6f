/** How players type, and what they mean: judged by hand against the catalogue, before the search was asked. */

export const JUDGED_KINDS = [
  'name',
  'part',
  'one slip',
  'two slips',
  'joined',
  'word order',
  'number',
  'code',
  'colour',
  'printing',
  'keyword',
  'sealed',
  'abbreviation',
  'filter',
  'boolean',
] as const;
export type JudgedKind = (typeof JUDGED_KINDS)[number];

/**
 * A line is what is typed, and behind the arrow what is meant: the name of a card, with its colour where one is meant; a
 * printed number behind "#"; the code of a variant; or "*" for any card. Behind "@" is what the variant must be, or the
 * card ("keyword …", "class …", "talent …", "type …"). A "^" is for what is meant among others, so that it must be
 * among the first three.
 */
const LINES: Record<JudgedKind, string> = {
  name: `
    Command and Conquer -> Command and Conquer
    Enlightened Strike (Red) -> Enlightened Strike
    Tome of Fyendal's -> Tome of Fyendal
    TOME OF FYENDAL -> Tome of Fyendal
    Fyendal's Spring Tunic -> Fyendal's Spring Tunic
    fyendals spring tunic -> Fyendal's Spring Tunic
    Fyendal’s Spring Tunic -> Fyendal's Spring Tunic
    10,000 Year Reunion -> 10,000 Year Reunion
    10000 year reunion -> 10,000 Year Reunion
    Ser Boltyn, Breaker of Dawn -> Ser Boltyn, Breaker of Dawn
    ser boltyn breaker of dawn -> Ser Boltyn, Breaker of Dawn
    Mugenshi: RELEASE -> Mugenshi: RELEASE
    Arakni, 5L!p3d 7hRu 7h3 cR4X -> Arakni, 5L!p3d 7hRu 7h3 cR4X
    Truth or Trickery -> Truth or Trickery
    hunter or hunted -> Hunter or Hunted?
    potion of deja vu -> Potion of Déjà Vu
    ole -> Olé
    jarl vetreidi -> Jarl Vetreiði
    riches of tropal dhani -> Riches of Trōpal-Dhani
    dash i/o -> Dash I/O
    squizzy and floof -> Squizzy & Floof
    phantasmaclasm -> Phantasmaclasm
    heart of fyendal -> Heart of Fyendal
    eye of ophidia -> Eye of Ophidia
    arknight shard -> Arknight Shard
    gorganian tome -> Gorganian Tome
    path of vengeance -> Path of Vengeance
    mighty windup -> Mighty Windup
    winds of eternity -> Winds of Eternity
    recoil -> Recoil
    talisman of balance -> Talisman of Balance
    be like water -> Be Like Water
    censor -> Censor
    good deeds dont go unnoticed -> Good Deeds Don't Go Unnoticed
    argh smash -> Argh... Smash!
    slap happy -> Slap-Happy
    ruudi gem keeper -> Ruu'di, Gem Keeper
    rampart of the rams head -> Rampart of the Ram's Head
    down but not out -> Down But Not Out
    not so fast -> Not So Fast
    v for valor -> V for Valor
    sic em shot -> Sic 'Em Shot
    the suspense is killing me -> The Suspense is Killing Me
    a bit off the side -> A Bit off the Side
    tome of imperial flame -> Tome of Imperial Flame
    storm striders -> Storm Striders
    death dealer -> Death Dealer
    nebula blade -> Nebula Blade
    gold -> Gold
    line -> Line
    boast -> Boast
    diamond -> Diamond
    rainbow goo trap -> Rainbow Goo Trap
    cold wave -> Cold Wave
    cold snap -> Cold Snap
    alpha rampage -> Alpha Rampage
    alpha instinct -> Alpha Instinct
    full tilt -> Full Tilt
    gold hunter ketch -> Gold Hunter Ketch
    uprising -> Uprising
  `,
  part: `
    command and -> Command and Conquer
    comm conq -> Command and Conquer
    enlight str -> Enlightened Strike
    spring tunic -> Fyendal's Spring Tunic
    tunic -> ^Fyendal's Spring Tunic
    tome fyendal -> Tome of Fyendal
    bloodrush -> Bloodrush Bellow
    crown providence -> Crown of Providence
    momentum mask -> Mask of Momentum
    boltyn breaker -> ^Ser Boltyn, Breaker of Dawn
    kano dracai -> Kano, Dracai of Aether
    katsu wanderer -> Katsu, the Wanderer
    bravo showstopper -> Bravo, Showstopper
    ace in the hole -> Azalea, Ace in the Hole
    and conquer -> Command and Conquer
    snapdr -> Snapdragon Scalers
    tunic wtr -> ^Fyendal's Spring Tunic
    fyendals spring tunic cold foil -> ^Fyendal's Spring Tunic
    art of war -> ^Art of War
    dorinthea -> Dorinthea
    levia -> ^Levia
    life of party -> ^Life of the Party (Red)
    argh -> Argh... Smash!
    talisman of bal -> Talisman of Balance
    storm strid -> Storm Striders
    rampart -> Rampart of the Ram's Head
    wailer hump -> Wailer Humperdinck
    imperial ledg -> Imperial Ledger
    grandfather of eternity -> Oldhim, Grandfather of Eternity
    ruudi -> Ruu'di, Gem Keeper
    reya -> Reya, the Unyielding
    torc of -> ^Torc of Vim
    sigil of para -> Sigil of Parapets
    twintek -> Twintek Charging Station
    skullbone -> Skullbone Crosswrap
    flowshard -> Flowshard Elemental
    banneret of vig -> Banneret of Vigor
    empyrean -> ^Empyrean Rapture
    goldwing -> Goldwing Turbine
    heirloom of rab -> Heirloom of Rabbit Hide
    red alert -> ^Red Alert Visor
    leap frog vocal -> Leap Frog Vocal Sac
    mask of many -> Mask of Many Faces
    pain in the back -> Pain in the Backside
    jack o -> Jack-o'-lantern
    tome of imp -> Tome of Imperial Flame
    channel lake -> Channel Lake Frigid
    star of the show -> Bravo, Star of the Show
    bladesaint -> Hala, Bladesaint of the Vow
    grimoire of fell -> Grimoire of Fellingsong
  `,
  'one slip': `
    comandand conquer -> Command and Conquer
    enlightend strike -> Enlightened Strike
    fyendels spring tunic -> Fyendal's Spring Tunic
    feyndals tunic -> Fyendal's Spring Tunic
    hart of fyendel -> Heart of Fyendal
    mask of momentom -> Mask of Momentum
    snach red -> Snatch (Red)
    boltin -> ^Boltyn
    ser boltin -> Ser Boltyn, Breaker of Dawn
    dorinthia ironsong -> ^Dorinthea Ironsong
    teklovosen esteemed -> Teklovossen, Esteemed Magnate
    viseri rune blood -> ^Viserai, Rune Blood
    islander -> ^Iyslander
    scultor of arc light -> Prism, Sculptor of Arc Light
    phantasmaclasim -> Phantasmaclasm
    crown of providance -> Crown of Providence
    bloodrush belllow -> Bloodrush Bellow
    gorgonian tome -> Gorganian Tome
    azelea ace in the hole -> ^Azalea, Ace in the Hole
    nulrune boots -> Nullrune Boots
    talisman of balence -> Talisman of Balance
    storm stridders -> Storm Striders
    mask of many facess -> Mask of Many Faces
    imperial leger -> Imperial Ledger
    tome of imperal flame -> Tome of Imperial Flame
    skulbone crosswrap -> Skullbone Crosswrap
    flowshard elementle -> Flowshard Elemental
    empyrian rapture -> Empyrean Rapture
    deth dealer -> Death Dealer
    nebula blad -> Nebula Blade
    goldwing turbin -> Goldwing Turbine
    rampart of the rams hed -> Rampart of the Ram's Head
    chanel lake frigid -> Channel Lake Frigid
    oldim grandfather of eternity -> Oldhim, Grandfather of Eternity
    hemorage bore -> Hemorrhage Bore
    sprocket roket -> Sprocket Rocket
    wreck havok -> Wreck Havoc
    gauntlets of untiy -> Gauntlets of Unity
    kayo armed and dangerus -> Kayo, Armed and Dangerous
    seekers legings -> Seeker's Leggings
    path of vengence -> Path of Vengeance
    spelblade strike -> Spellblade Strike
    twintek charging sation -> Twintek Charging Station
    phantasmal hase -> Phantasmal Haze
  `,
  'two slips': `
    comand and conqer -> Command and Conquer
    command & conqeur -> Command and Conquer
    enlihgtened stirke -> Enlightened Strike
    strom stridders -> Storm Striders
    imperal leger -> Imperial Ledger
    skulbone crosswarp -> Skullbone Crosswrap
    emperyan rapture -> Empyrean Rapture
    golwing turbin -> Goldwing Turbine
    chanel lake fridgid -> Channel Lake Frigid
    oldim granfather of eternity -> Oldhim, Grandfather of Eternity
    hemorrage boar -> Hemorrhage Bore
    sproket roket -> Sprocket Rocket
    gauntlts of untiy -> Gauntlets of Unity
    seakers legings -> Seeker's Leggings
    spelblade strikke -> Spellblade Strike
    path off vengence -> Path of Vengeance
    phantasmel hase -> Phantasmal Haze
    fyendels spring tunick -> Fyendal's Spring Tunic
    enlightend stike -> Enlightened Strike
    bloodrish below -> Bloodrush Bellow
    mask of momentem -> Mask of Momentum
    crown of providanse -> Crown of Providence
    phantasmaclazm -> Phantasmaclasm
    teklovosen esteamed magnate -> Teklovossen, Esteemed Magnate
    azaela ace in the whole -> Azalea, Ace in the Hole
    arknigt shart -> Arknight Shard
    grimoir of felingsong -> Grimoire of Fellingsong
    heirlom of rabit hide -> Heirloom of Rabbit Hide
    kayo armed an dangerus -> Kayo, Armed and Dangerous
    goliat gauntlit -> Goliath Gauntlet
    snapdargon scallers -> Snapdragon Scalers
    eye of ofidia -> Eye of Ophidia
    hart of fyndal -> Heart of Fyendal
    katsu the wonderrer -> Katsu, the Wanderer
    iron rot legz -> Ironrot Legs
    teklo plazma pistle -> Teklo Plasma Pistol
    nulrune glooves -> Nullrune Gloves
    quiver of abysal depts -> Quiver of Abyssal Depths
    tomb of fyendle -> Tome of Fyendal
    bonds of agonny -> Bonds of Agony
  `,
  joined: `
    snap dragon scalers -> Snapdragon Scalers
    snapdragonscalers -> Snapdragon Scalers
    commandandconquer -> Command and Conquer
    blood rush bellow -> Bloodrush Bellow
    razorreflex red -> Razor Reflex (Red)
    recharge red -> Re-Charge! (Red)
    re charge blue -> Re-Charge! (Blue)
    tbone red -> T-Bone (Red)
    jackolantern red -> Jack-o'-lantern (Red)
    one two punch red -> One-Two Punch (Red)
    dawn blade -> ^Dawnblade
    null rune boots -> Nullrune Boots
    stormstriders -> Storm Striders
    deathdealer -> Death Dealer
    maskofmomentum -> Mask of Momentum
    enlightenedstrike -> Enlightened Strike
    arknightshard -> Arknight Shard
    iron rot legs -> Ironrot Legs
    blood sheath skeleta -> Bloodsheath Skeleta
    gold wing turbine -> Goldwing Turbine
    skull bone crosswrap -> Skullbone Crosswrap
    fyendals springtunic -> Fyendal's Spring Tunic
    tomeof fyendal -> Tome of Fyendal
    chain bound by shadow -> Chane, Bound by Shadow
    comandandconquer -> Command and Conquer
    enlightendstrike -> Enlightened Strike
    stormstridrs -> Storm Striders
    eyeofophida -> Eye of Ophidia
    snap dragon scaler -> Snapdragon Scalers
    crownof providence -> Crown of Providence
    heartof fyendal -> Heart of Fyendal
    nebulablade -> Nebula Blade
    sinkbelow red -> Sink Below (Red)
  `,
  'word order': `
    conquer and command -> Command and Conquer
    strike enlightened -> Enlightened Strike
    fyendal tome -> Tome of Fyendal
    tunic fyendals -> Fyendal's Spring Tunic
    striders storm -> Storm Striders
    dealer death -> Death Dealer
    showstopper bravo -> Bravo, Showstopper
    wanderer katsu -> Katsu, the Wanderer
    vim torc -> Torc of Vim
    flame tome imperial -> Tome of Imperial Flame
    ledger imperial -> Imperial Ledger
    providence crown -> Crown of Providence
    blade nebula -> Nebula Blade
    ace hole azalea -> Azalea, Ace in the Hole
    frigid lake -> Channel Lake Frigid
    red below sink -> Sink Below (Red)
    blue reflex razor -> Razor Reflex (Blue)
    ophidia eye -> Eye of Ophidia
    skeleta bloodsheath -> Bloodsheath Skeleta
    light arc prism -> Prism, Sculptor of Arc Light
  `,
  number: `
    wtr001 -> Rhinar, Reckless Rampage
    WTR 1 -> Rhinar, Reckless Rampage
    WTR-001 -> Rhinar, Reckless Rampage
    wtr 0001 -> Rhinar, Reckless Rampage
    1HP361 -> Enlightened Strike
    1hp 361 -> Enlightened Strike
    dtd1 -> Prism, Awakener of Sol
    WTR114 -> #WTR114
    wtr 114 -> #WTR114
    UPR043 -> #UPR043
    upr43 -> #UPR043
    WTR003 -> #WTR003
    ARC040 -> #ARC040
    arc 77 -> #ARC077
    MON306 -> #MON306
    dyn 1 -> #DYN001
    1hp1 -> #1HP001
    1HP 010 -> #1HP010
    ELE-146 -> #ELE146
    fab001 -> #FAB001
    lgs 162 -> #LGS162
    HNT054 -> #HNT054
    number:ele146 -> #ELE146
    cn:wtr167 -> #WTR167
    omn243 -> #OMN243
    her 155 -> #HER155
    sea141 -> #SEA141
  `,
  code: `
    WTR167-Alpha-Rainbow -> WTR167-Alpha-Rainbow
    wtr167-alpha-rainbow -> WTR167-Alpha-Rainbow
    wtr167 alpha rainbow -> WTR167-Alpha-Rainbow
    WTR167_Unlimited -> WTR167-Unlimited
    wtr167alpha -> WTR167-Alpha
    WTR150-Alpha-Cold -> WTR150-Alpha-Cold
    ARC160-Unlimited -> ARC160-Unlimited
    arc160 unlimited rainbow -> ARC160-Unlimited-Rainbow
    ELE146-First-Rainbow -> ELE146-First-Rainbow
    ele146 first -> ELE146-First
    OMN243-Cold-Extended Art -> OMN243-Cold-Extended Art
    omn243 cold extended art -> OMN243-Cold-Extended Art
    OMN243-COLD-EXTENDED-ART -> OMN243-Cold-Extended Art
    FAB001-Gold-Extended Art -> FAB001-Gold-Extended Art
    FAB124-Gold -> FAB124-Gold
    fab144/gold -> FAB144-Gold
    GEM119-Full Art-2 -> GEM119-Full Art-2
    ANQ033-Alternate Border -> ANQ033-Alternate Border
    FAB331-Rainbow-Alternate Art-Extended Art -> FAB331-Rainbow-Alternate Art-Extended Art
    Wtr1stEdition-Box -> Wtr1stEdition-Box
    Upr-Pack -> Upr-Pack
    mon unlimited edition case -> MonUnlimitedEdition-Case
    WTR114-Alpha-Back -> #WTR114
    UPR043-Cold-Alternate Text -> #UPR043
  `,
  colour: `
    snatch red -> Snatch (Red)
    snatch (blue) -> Snatch (Blue)
    red snatch -> Snatch (Red)
    enlightened strike red -> Enlightened Strike
    sink below blue -> Sink Below (Blue)
    head jab yellow -> Head Jab (Yellow)
    razor reflex yel -> Razor Reflex (Yellow)
    blue energy potion -> ^Energy Potion
    pitch:1 snatch -> Snatch (Red)
    pummel red -> Pummel (Red)
    pummel blue -> Pummel (Blue)
    yellow pummel -> Pummel (Yellow)
    sigil of solace yellow -> Sigil of Solace (Yellow)
    sink below (red) -> Sink Below (Red)
    scar for a scar red -> Scar for a Scar (Red)
    wounding blow blue -> Wounding Blow (Blue)
    flic flak yellow -> Flic Flak (Yellow)
    zealous belting red -> Zealous Belting (Red)
    ravenous rabble red -> Ravenous Rabble (Red)
    brutal assault blue -> Brutal Assault (Blue)
    fate foreseen red -> Fate Foreseen (Red)
    unmovable blue -> Unmovable (Blue)
    p:blue snatch -> Snatch (Blue)
    c:red snatch -> Snatch (Red)
    color:yellow snatch -> Snatch (Yellow)
    pumel red -> Pummel (Red)
    snatch blu -> Snatch (Blue)
    art of war yellow -> Art of War
    tome of fyendal yellow -> Tome of Fyendal
  `,
  printing: `
    cold foil -> * @ cold foil
    rainbow foil -> * @ rainbow foil
    gold foil -> * @ gold foil
    cf -> * @ cold foil
    rf -> * @ rainbow foil
    extended art -> * @ extended art
    full art -> * @ full art
    alternate art -> * @ alternate art
    unlimited -> * @ unlimited edition
    first edition -> * @ 1st edition
    1st edition -> * @ 1st edition
    alpha -> * @ alpha
    marvel -> * @ marvel
    snatch rainbow foil -> Snatch @ rainbow foil
    snatch rf -> Snatch @ rainbow foil
    snatch alpha -> Snatch @ alpha
    snatch 1st edition -> Snatch @ 1st edition
    snatch first edition red -> Snatch (Red) @ 1st edition
    alpha snatch blue rainbow -> Snatch (Blue) @ alpha, rainbow foil
    fyendals spring tunic cf -> Fyendal's Spring Tunic @ cold foil
    fyendals spring tunic gold foil -> Fyendal's Spring Tunic @ gold foil
    gold foil tunic -> ^Fyendal's Spring Tunic @ gold foil
    teklo plasma pistol gold -> Teklo Plasma Pistol @ gold foil
    command and conquer extended art -> Command and Conquer @ extended art
    command and conquer ea -> Command and Conquer @ extended art
    ea command and conquer -> Command and Conquer @ extended art
    command and conquer aa -> Command and Conquer @ alternate art
    command and conquer rainbow -> Command and Conquer @ rainbow foil
    command and conquer unlimited -> Command and Conquer @ unlimited edition
    cnc 1st edition rainbow foil -> Command and Conquer @ 1st edition, rainbow foil
    marvel astral strike -> Astral Strike @ marvel
    hyper x3 gold foil -> Hyper-X3 @ gold foil
    fate foreseen alternate border -> Fate Foreseen @ alternate border
    nullrune gloves alt art -> Nullrune Gloves @ alternate art
    bait full art -> Bait @ full art
    bait fa -> Bait @ full art
    golden cog extended art cold foil -> Golden Cog @ extended art, cold foil
    smash up rf ea -> Smash Up @ rainbow foil, extended art
    truce blue extended -> Truce @ extended art
    enlightened strike alpha rainbow foil -> Enlightened Strike @ alpha, rainbow foil
    enlightend strike rainbow foil -> Enlightened Strike @ rainbow foil
    storm striders cold foil 1st -> Storm Striders @ cold foil
    finish:cold storm striders -> Storm Striders @ cold foil
    foil:gold edition:alpha or fab001 -> Fyendal's Spring Tunic @ gold foil
    edition:unlimited snatch -> Snatch @ unlimited edition
    rainbow foil majestic brute -> * @ rainbow foil, majestic, class brute
    cold foil legendary generic -> * @ cold foil, legendary, class generic
  `,
  keyword: `
    go again -> * @ keyword go again
    blood debt -> * @ keyword blood debt
    stealth -> * @ keyword stealth
    boost -> * @ keyword boost
    k:boost -> * @ keyword boost
    keyword:"blood debt" -> * @ keyword blood debt
    k:"go again" class:ninja -> * @ keyword go again, class ninja
    arcane barrier -> * @ keyword arcane barrier
    temper equipment -> * @ keyword temper, type equipment
    watery grave pirate -> * @ keyword watery grave, class pirate
    rune gate -> * @ keyword rune gate
    ward illusionist -> * @ keyword ward, class illusionist
    ice attack action -> * @ talent ice, type attack
    light warrior -> * @ talent light, class warrior
    shadow brute attack -> * @ talent shadow, class brute, type attack
    ninja attack reaction -> * @ class ninja, type attack reaction
    ninja aa -> * @ class ninja, type attack
    generic equipment legs -> * @ class generic, type legs
    wizard instant -> * @ class wizard, type instant
    warrior weapon sword -> * @ class warrior, type sword
    royal -> * @ talent royal
    type:angel -> * @ type angel
    type:chi -> * @ type chi
    stealth attack assassin -> * @ keyword stealth, class assassin
    combo ninja -> * @ keyword combo, class ninja
    blade break chest -> * @ keyword blade break, type chest
    dominate guardian red -> * @ keyword dominate, class guardian
    mechanologist item -> * @ class mechanologist, type item
    crush guardian -> * @ keyword crush, class guardian
    artist:"sergey gurskiy" tunic -> ^Fyendal's Spring Tunic
  `,
  sealed: `
    wtr booster box -> ^Welcome to Rathe Booster Box [1st Edition]
    uprising box -> ^Uprising Booster Box
    high seas pack -> High Seas Booster Pack
    monarch box unlimited -> ^Monarch Booster Box [Unlimited Edition]
    wtr booster pack -> ^Welcome to Rathe Booster Pack [1st Edition]
    uprising booster -> Uprising Booster Pack
    mon pack -> ^Monarch Booster Pack [1st Edition]
    wtr pack -> ^Welcome to Rathe Booster Pack [Unlimited Edition]
    uprising display -> Uprising Booster Box
    uprising case -> Uprising Booster Box Case
    case of uprising -> Uprising Booster Box Case
    box of outsiders -> Outsiders Booster Box
    outsiders booster box -> Outsiders Booster Box
    outsiders box -> Outsiders Booster Box
    everfest box -> Everfest Booster Box
    high seas display -> High Seas Booster Box
    rosetta pack -> Rosetta Booster Pack
    rosetta packs -> Rosetta Booster Pack
    monarch booster box 1st edition -> Monarch Booster Box [1st Edition]
    monarch 1st box -> Monarch Booster Box [1st Edition]
    wtr alpha box -> Welcome to Rathe Booster Box [1st Edition]
    alpha booster box -> Welcome to Rathe Booster Box [1st Edition]
    arcane rising booster box unlimited -> Arcane Rising Booster Box [Unlimited Edition]
    crucible of war case 1st -> Crucible of War Booster Box Case [1st Edition]
    heavy hitters blaster -> ^Heavy Hitters Booster Box
    is:sealed super slam box -> Super Slam Booster Box
    bright lights boster box -> Bright Lights Booster Box
    part the mistveil pack -> Part the Mistveil Booster Pack
    tales of aria pack unlimited -> Tales of Aria Booster Pack [Unlimited Edition]
    dynasty display -> Dynasty Booster Box
  `,
  abbreviation: `
    cnc -> Command and Conquer
    c&c -> Command and Conquer
    CnC -> Command and Conquer
    estrike -> Enlightened Strike
    e-strike -> Enlightened Strike
    fst -> Fyendal's Spring Tunic
    aow -> Art of War
    clf -> Channel Lake Frigid
    starvo -> Bravo, Star of the Show
    eoo -> Eye of Ophidia
    cop -> ^Crown of Providence
    brb -> Bloodrush Bellow
    hof -> Heart of Fyendal
    dash ie -> Dash, Inventor Extraordinaire
    dash io -> Dash I/O
    cnc majestic -> Command and Conquer
    cnc arc -> Command and Conquer
    prism aot -> Prism, Advent of Thrones
    starvo cold foil -> Bravo, Star of the Show
    fst cf -> Fyendal's Spring Tunic
    e-strike wtr -> Enlightened Strike
  `,
  filter: `
    strike class:generic rarity:m set:wtr -> Enlightened Strike
    "and conquer" set:arc -> Command and Conquer
    tome -arknight -divinity fyendal -> Tome of Fyendal
    s:wtr r:l t:chest -> Fyendal's Spring Tunic
    set:arc cn:160 -> Art of War
    n:"tome of fyendal" s:wtr -> Tome of Fyendal
    name:"spring tunic" -> Fyendal's Spring Tunic
    !"command and conquer" s:arc -> Command and Conquer
    !snatch p:3 -> Snatch (Blue)
    type:hero class:wizard life>25 set:arc -> Kano, Dracai of Aether
    t:hero c:ranger s:arc life:40 -> Azalea, Ace in the Hole
    r:f s:arc -> Eye of Ophidia
    rarity:fabled set:wtr -> Heart of Fyendal
    r>=legendary s:wtr t:chest -> Fyendal's Spring Tunic
    set:mon r:f -> Great Library of Solana
    set:ele rarity:fabled -> Korshem, Crossroad of Elements
    r:f date>=2022-06 date<2022-07 -> Blood of the Dracai
    set:upr rarity:f -> Blood of the Dracai
    set:evr r:f -> Grandeur of Valahai
    k:boost s:arc t:weapon or !"teklo plasma pistol" s:arc -> Teklo Plasma Pistol
    is:token s:wtr n:quicken -> Quicken
    f:cc snatch red -> Snatch (Red)
  `,
  boolean: `
    class:ninja and type:head set:wtr -> Mask of Momentum
    class:ninja AND type:head AND set:wtr -> Mask of Momentum
    class:ninja && type:head && set:wtr -> Mask of Momentum
    snatch NOT red NOT yellow -> Snatch (Blue)
    snatch -red -blue -> Snatch (Yellow)
    snatch not:foil pitch:1 -> Snatch (Red)
    tome of fyendal OR art of war -> ^Art of War
    "art of war" | "tome of fyendal" -> ^Art of War
    (snatch or sink) blue -> ^Snatch (Blue)
    snatch and pitch:blue -> Snatch (Blue)
    command AND conquer -> Command and Conquer
    enlightened AND strike -> Enlightened Strike
    snatch -(red or yellow) -> Snatch (Blue)
    !"snatch" p:1,2 -yellow -> Snatch (Red)
    dash -extraordinaire -io class:mechanologist set:arc type:young -> Dash
    tome -arknight -imperial set:wtr -> Tome of Fyendal
    name:tome and set:wtr -> Tome of Fyendal
    class:ninja,brute r:l set:wtr -> ^Mask of Momentum
    set:wtr r:f || set:zzz -> Heart of Fyendal
    cost:>=3 set:arc name:"command" or !"command and conquer" set:arc -> Command and Conquer
    fyendals -heart -tome -> Fyendal's Spring Tunic
    nebula and blade -> Nebula Blade
  `,
};

export interface JudgedQuery {
  kind: JudgedKind;
  query: string;
  /** The name, number or code; "*" for any. */
  meant: string;
  /** What the variant or the card must be. */
  printed: string[];
  isAmongOthers: boolean;
}

export const JUDGED_QUERIES: readonly JudgedQuery[] = JUDGED_KINDS.flatMap((kind) =>
  LINES[kind]
    .trim()
    .split('\n')
    .map((line) => judged(kind, line.trim())),
);

function judged(kind: JudgedKind, line: string): JudgedQuery {
  const [, query, among, meant, printed] = /^(.+) -> (\^?)(.+?)(?: @ (.+))?$/.exec(line) ?? [];
  if (query === undefined || meant === undefined) throw new Error(`"${line}" has no arrow`);
  return { kind, query, meant, printed: printed?.split(', ') ?? [], isAmongOthers: among === '^' };
}
