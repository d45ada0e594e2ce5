"""Word lists shared by the readers of words: kin, pets, trades, kinds of place and event, feelings, classes of thing.

Singular, lower case. They are closed lists on purpose: what they do not name stays untyped rather than guessed.
"""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """A closed list, written as one line of words."""
    return frozenset(text.split())


def _table(*rows: tuple[str, str]) -> dict[str, str]:
    return {word.strip(): name for name, listed in rows for word in listed.split(",")}


KIN = _table(
    ("mother", "mother,mom,mum,mama,mommy,mummy"),
    ("father", "father,dad,papa,daddy"),
    ("wife", "wife,wifey"),
    ("husband", "husband,hubby"),
    ("partner", "partner,spouse,girlfriend,boyfriend,fiance,fiancee,fiancé,fiancée"),
    ("sister", "sister,sis"),
    ("brother", "brother,bro"),
    ("daughter", "daughter"),
    ("son", "son"),
    ("child", "child,kid,baby,toddler,stepchild"),
    ("grandmother", "grandmother,grandma,granny,nana,gran"),
    ("grandfather", "grandfather,grandpa,granddad,grandad"),
    ("aunt", "aunt,auntie"),
    ("uncle", "uncle"),
    ("cousin", "cousin"),
    ("niece", "niece"),
    ("nephew", "nephew"),
    ("boss", "boss,manager,supervisor"),
    ("colleague", "colleague,coworker,co-worker,teammate"),
    ("friend", "friend,buddy,pal,bestie,bff,mate"),
    ("neighbor", "neighbor,neighbour"),
    ("roommate", "roommate,flatmate,housemate"),
    ("mentor", "mentor,coach"),
    ("mentee", "mentee"),
    ("teacher", "teacher,tutor,professor"),
    ("doctor", "doctor,dentist,therapist"),
)
"""Every word for somebody's somebody, with the relation it names (mum -> mother)."""

ONLY_ONE = words("mother father wife husband partner boss")
"""Relations of which one has a single bearer at a time: a new name closes the old."""

FAMILY = words("family fam parents kids children folks siblings grandparents relatives")

FEMALE = words(
    "mother mom mum wife sister daughter grandmother grandma granny aunt niece girlfriend woman girl lady "
    "fiancee her she"
)
MALE = words("father dad husband brother son grandfather grandpa uncle nephew boyfriend man boy guy fiance him he")

PETS = words(
    "dog puppy pup cat kitten kitty rabbit bunny hamster parrot bird fish horse pony turtle tortoise lizard snake "
    "pig pet ferret"
)

JOBS = words(
    "accountant actor actress analyst animator architect artist assistant astronaut attorney author baker banker "
    "barber barista bartender biologist bookkeeper builder butcher carpenter cashier chef chemist clerk consultant "
    "contractor cook copywriter counselor counsellor dancer dentist designer developer director doctor driver "
    "economist editor electrician engineer entrepreneur farmer filmmaker firefighter florist freelancer gardener "
    "hairdresser historian illustrator instructor interpreter janitor journalist judge lawyer lecturer librarian "
    "lifeguard manager mechanic midwife model musician nurse nutritionist officer optician painter paralegal "
    "paramedic pharmacist photographer physicist physiotherapist pilot plumber poet policeman producer professor "
    "programmer psychologist publisher realtor receptionist recruiter reporter researcher sailor salesman scientist "
    "secretary singer soldier statistician student surgeon tailor teacher technician therapist translator tutor "
    "veterinarian vet waiter waitress writer"
)

EVENT_NOUNS = words(
    "anniversary audition barbecue birthday campaign camp celebration ceremony championship class competition concert "
    "conference contest convention course event exhibition fair festival fundraiser funeral gala game gathering "
    "graduation hackathon hike holiday interview launch lesson marathon match meetup meeting opening outing parade "
    "party performance picnic protest race rally reading recital reunion retreat screening seminar session show "
    "summit tour tournament trip vacation visit wedding workshop expo"
)

PLACE_NOUNS = words(
    "academy airport apartment bakery bar beach bookstore cafe café campus castle cathedral cemetery center centre "
    "church cinema clinic college country farm gallery garden gym hall hospital hostel hotel island kindergarten lake "
    "library mall market mosque mountain museum neighborhood neighbourhood office orphanage park pool pub restaurant "
    "river salon school shelter shop stadium station store studio temple theater theatre town university village zoo"
)

HOUSES = words(
    "house home flat apartment place studio condo cottage bungalow cabin farm dorm hostel room loft villa houseboat"
)
"""Where one lives, in whatever town that is."""
NO_HOMES = words(
    "slack zoom teams notion evernote obsidian excel gmail outlook discord whatsapp signal telegram spotify netflix "
    "google microsoft apple amazon facebook instagram twitter linkedin youtube reddit aws azure gcp github gitlab jira "
    "linux ubuntu debian fedora windows macos android ios chrome firefox safari vim neovim emacs vscode pycharm "
    "python rust typescript javascript kotlin golang haskell ruby docker kubernetes postgres postgresql team row "
    "accounting marketing sales finance engineering hr"
)
"""Programs, their makers, languages and departments: names to which people move, and in which nobody lives."""
FEELINGS = _table(
    ("joy", "happy,joyful,delighted,cheerful,elated,overjoyed,glad,blissful,happiness,joy"),
    ("excitement", "excited,stoked,thrilled,pumped,eager,ecstatic,psyched,hyped,excitement"),
    ("pride", "proud,accomplished,pride"),
    ("gratitude", "grateful,thankful,blessed,lucky,fortunate,gratitude"),
    ("love", "loved,in love,adored,cherished,accepted"),
    ("hope", "hopeful,optimistic,encouraged,inspired,motivated,determined"),
    ("calm", "calm,relaxed,peaceful,relieved,content,refreshed,relief"),
    ("sadness", "sad,heartbroken,depressed,down,upset,lonely,devastated,gloomy,miserable,homesick,blue,sadness,grief"),
    ("anger", "angry,mad,furious,annoyed,frustrated,irritated,pissed,anger,frustration"),
    ("fear", "afraid,scared,terrified,panicked,frightened,fear"),
    ("anxiety", "anxious,nervous,worried,stressed,overwhelmed,uneasy,anxiety,stress"),
    ("fatigue", "tired,exhausted,drained,burned out,burnt out,sleepy,swamped,worn out"),
    ("shame", "ashamed,embarrassed,guilty,regretful,disappointed,jealous,shame,guilt"),
)
"""Words for feelings and the thirteen classes they fall into."""

CONDITIONS = words(
    "allergic vegan vegetarian diabetic asthmatic pescatarian lactose-intolerant celiac coeliac autistic dyslexic "
    "transgender gay lesbian bisexual queer pregnant deaf blind"
)
STATUSES = words("single married engaged divorced widowed separated retired unemployed")

CLASSES = _table(
    (
        "coffee",
        "latte,flat white,cappuccino,espresso,americano,macchiato,mocha,cortado,cold brew,decaf,coffee,ristretto",
    ),
    ("tea", "tea,green tea,black tea,matcha,chai,oolong,earl grey,rooibos"),
    ("editor", "vim,neovim,emacs,vscode,vs code,pycharm,intellij,sublime text"),
    ("language", "python,rust,typescript,javascript,java,kotlin,golang,haskell,ruby"),
    ("milk", "oat milk,soy milk,almond milk,whole milk,skim milk"),
    ("diet", "vegan,vegetarian,keto,paleo,pescatarian"),
    ("seat", "window seat,aisle seat"),
)
"""What a preference is about when it is not said: one prefers a latte among coffees."""

BROADCASTERS = words(
    "tv television telly radio podcast youtube film movie video news newsreader announcer narrator advert "
    "advertisement "
    "commercial audiobook loudspeaker tannoy broadcast satnav netflix soundtrack voiceover fernseher fernsehen hörbuch "
    "durchsage ansage nachrichten"
)
"""Labels of what speaks in a room and is nobody."""

VAGUE = words(
    "accomplishment achievement beauty belief community company confidence friendship imperfection memory people "
    "reaction self society teamwork universe ability adventure anything attitude bit bond care challenge chance "
    "change comfort connection courage day deal "
    "destiny difference dream effort emotion encouragement energy everything experience fear feeling freedom fun "
    "future "
    "gift goal growth happiness headspace heart hope hurdle idea impact importance inspiration joy journey kind "
    "kindness "
    "life lot love luck mind moment motivation nothing obstacle opportunity part passion past path peace perspective "
    "place point positivity potential power problem progress reason reminder resilience result right sense setback "
    "something spirit step stress strength struggle stuff success support thing thought time touch trouble truth "
    "understanding unity use value version vibe view vision way week will word work world behavior correctly other"
)
"""Nouns that name nothing one could look for later."""
