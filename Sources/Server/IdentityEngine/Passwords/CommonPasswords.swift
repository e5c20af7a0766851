// Written by scripts/make-common-passwords.py; do not edit.
//
// Derived from the list of leaked passwords in zxcvbn 4.5.0 (https://pypi.org/project/zxcvbn/4.5.0/), under this licence:
//
// MIT License
//
// Copyright (c) 2016 Daniel Wolf
//
// Permission is hereby granted, free of charge, to any person obtaining a copy
// of this software and associated documentation files (the "Software"), to deal
// in the Software without restriction, including without limitation the rights
// to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
// copies of the Software, and to permit persons to whom the Software is
// furnished to do so, subject to the following conditions:
//
// The above copyright notice and this permission notice shall be included in all
// copies or substantial portions of the Software.
//
// THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
// IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
// FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
// AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
// LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
// OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
// SOFTWARE.

/// The built-in list of passwords, and of terms in passwords, that are not allowed (`SEC-PWD-3`). Entries are separated
/// by a blank or a line feed. It contains crude words because users choose them.
///
/// Each list is one long text, because the compiler needs far more time for an array of literals.
enum CommonPasswords {
    /// 2095 words, the most frequent first.
    static let terms = """
        123456 password 12345678 qwerty 123456789 12345 1234 111111 1234567 dragon 123123 baseball abc123 football
        monkey letmein shadow master 696969 mustang 666666 qwertyuiop 123321 1234567890 pussy superman 654321 1qaz2wsx
        7777777 fuckyou qazwsx jordan 123qwe 000000 killer trustno1 hunter harley zxcvbnm asdfgh buster batman soccer
        tigger charlie sunshine iloveyou fuckme ranger hockey computer starwars asshole pepper klaster 112233 zxcvbn
        freedom princess maggie pass ginger 11111111 131313 fuck love cheese 159753 summer chelsea dallas biteme matrix
        yankees 6969 corvette austin access thunder merlin secret diamond hello hammer fucker 1234qwer silver gfhjkm
        internet samantha golfer scooter test orange cookie q1w2e3r4t5 maverick sparky phoenix mickey bigdog snoopy
        guitar whatever chicken camaro mercedes peanut ferrari falcon cowboy welcome sexy samsung steelers smokey dakota
        arsenal boomer eagles tigers marina nascar booboo gateway yellow porsche monster spider diablo hannah bulldog
        junior london purple compaq lakers iceman qwer1234 hardcore cowboys money banana ncc1701 boston tennis q1w2e3r4
        coffee scooby 123654 nikita yamaha mother barney brandy chester fuckoff oliver player forever rangers midnight
        chicago bigdaddy redsox angel badboy fender jasper slayer rabbit natasha marine bigdick wizard marlboro raiders
        prince casper fishing flower jasmine iwantu panties adidas winter winner gandalf password1 enter ghbdtn 1q2w3e4r
        golden cocacola jordan23 winston madison angels panther blowme sexsex bigtits spanky bitch sophie asdfasdf horny
        thx1138 toyota tiger dick canada 12344321 blowjob 8675309 muffin liverpoo apples qwerty123 abcd1234 pokemon
        123abc slipknot qazxsw 123456a scorpion qwaszx butter startrek rainbow asdfghjkl razz newyork redskins gemini
        cameron qazwsxedc florida liverpool turtle sierra viking booger butthead doctor rocket 159357 dolphins captain
        bandit jaguar packers pookie peaches 789456 asdf dolphin helpme blue theman maxwell qwertyui shithead lovers
        maddog giants nirvana metallic hotdog rosebud mountain warrior stupid elephant suckit success bond007 jackass
        alexis porn lucky scorpio samson q1w2e3 azerty rush2112 driver freddy 1q2w3e4r5t sydney gators dexter red123
        123456q 12345a bubba creative voodoo golf trouble america nissan gunner garfield bullshit asdfghjk 5150 fucking
        apollo 1qazxsw2 2112 eminem legend airborne bear beavis apple brooklyn godzilla skippy 4815162342 buddy qwert
        kitten magic shelby beaver phantom asdasd xavier braves darkness blink182 copper platinum qweqwe tomcat 01012011
        girls bigboy 102030 animal police online 11223344 voyager lifehack 12qwaszx fish sniper 315475 trinity blazer
        heaven lover snowball playboy loveme bubbles hooters cricket willow donkey topgun nintendo saturn destiny
        pakistan pumpkin digital sergey redwings explorer tits private runner therock guinness lasvegas beatles
        789456123 fire cassie christin qwerty1 celtic asdf1234 andrey broncos 007007 babygirl eclipse fluffy cartman
        michigan carolina testing alexande birdie pantera cherry vampire mexico dickhead buffalo genius montana beer
        minecraft maximus flyers lovely stalker metallica doggie snickers speedy bronco lol123 paradise yankee horses
        magnum dreams 147258369 lacrosse ou812 goober enigma qwertyu scotty pimpin bollocks surfer cock poohbear genesis
        star asd123 qweasdzxc racing hello1 hawaii eagle1 viper poopoo einstein boobies 12345q bitches drowssap simple
        badger alaska action jester drummer 111222 spitfire forest maryjane champion diesel svetlana friday hotrod
        147258 chevy lucky1 westside security google badass tester shorty thumper hitman mozart zaq12wsx boobs reddog
        010203 lizard a123456 123456789a ruslan eagle 1232323q scarface qwerty12 147852 a12345 buddha porno 420420
        spirit money1 stargate qwe123 naruto mercury liberty 12345qwert semperfi suzuki popcorn spooky marley scotland
        kitty cherokee vikings simpsons rascal qweasd hummer loveyou michael1 patches russia jupiter penguin passion
        cumshot vfhbyf honda vladimir sandman passport raider bastard 123789 infinity assman bulldogs fantasy sucker
        1234554321 horney domino budlight disney ironman usuckballz1 softball brutus redrum bigred mnbvcxz fktrcfylh
        karina marines digger kawasaki cougar fireman oksana monday cunt justice nigger super wildcats tinker logitech
        dancer swordfis avalon everton alexandr motorola patriots hentai madonna pussy1 ducati colorado connor juventus
        galore smooth freeuser warcraft boogie titanic wolverin elizabet arizona valentin saints asdfg accord test123
        password123 christ yfnfif stinky slut spiderma naughty chopper hello123 ncc1701d extreme skyline poop zombie
        pearljam 123qweasd froggy awesome vision pirate fylhtq dreamer bullet predator empire 123123a kirill charlie1
        panthers penis skipper nemesis rasdzv3 peekaboo rolltide cardinal psycho danger mookie happy1 wanker chevelle
        manutd goblue 9379992 hobbes vegeta fyfcnfcbz 852456 picard 159951 windows loverboy victory vfrcbv bambam serega
        123654789 turkey tweety galina hiphop rooster changeme berlin taurus suckme polina electric avatar 134679 maksim
        raptor alpha1 hendrix newport bigcock brazil spring a1b2c3 madmax alpha britney sublime darkside bigman wolfpack
        classic hercules ronaldo letmein1 1q2w3e 741852963 spiderman blizzard 123456789q cheyenne cjkysirj tiger1 wombat
        bubba1 pandora zxc123 holiday wildcat devils horse alabama 147852369 caesar 12312 buddy1 bondage pussycat pickle
        shaggy catch22 leather chronic a1b2c3d4 admin qqq111 qaz123 airplane kodiak freepass billybob sunset katana
        phpbb chocolat snowman angel1 stingray firebird wolves zeppelin detroit pontiac gundam panzer vagina outlaw
        redhead tarheels greenday nastya 01011980 hardon engineer dragon1 hellfire serenity cobra fireball lickme
        darkstar 1029384756 01011 mustang1 flash 124578 strike beauty pavilion 01012000 bobafett dbrnjhbz bigmac bowling
        chris1 ytrewq natali pyramid rulez welcome1 dodgers apache swimming whynot teens trooper fuckit defender
        precious 135790 packard weasel popeye lucifer cancer icecream 142536 raven swordfish presario viktor rockstar
        blonde james1 wutang spike pimp atlanta airforce thailand casino lennon mouse 741852 hacker bluebird hawkeye
        456123 theone catfish sailor goldfish nfnmzyf tattoo pervert barbie maxima nipples machine trucks wrangler rocks
        tornado lights cadillac bubble pegasus madman longhorn browns target 666999 eatme qazwsx123 microsoft dilbert
        christia baller lesbian shooter xfiles seattle qazqaz cthutq amateur prelude corona freaky malibu 123qweasdzxc
        assassin 246810 atlantis integra pussies iloveu lonewolf dragons monkey1 unicorn software bobcat stealth peewee
        openup 753951 srinivas zaqwsx valentina shotgun trigger veronika bruins coyote babydoll joker dollar lestat
        rocky1 hottie random butterfly wordpass smiley sweety snake chipper woody samurai devildog gizmo maddie
        soso123aljg mistress freedom1 flipper express hjvfirf moose cessna piglet polaris teacher montreal cookies
        wolfgang scully fatboy wicked balls tickle bunny dfvgbh foobar transam pepsi fetish oicu812 basketba toshiba
        hotstuff sunday booty gambit 31415926 impala stephani jessica1 hooker lancer knicks shamrock fuckyou2 stinger
        314159 redneck deftones squirt siemens blaster trucker subaru renegade ibanez manson swinger reaper blondie
        mylove galaxy blahblah enterpri travel 1234abcd babylon5 indiana skeeter master1 sugar ficken smoke bigone
        sweetpea fucked trfnthbyf marino escort smitty bigfoot babes larisa trumpet spartan valera babylon asdfghj
        yankees1 bigboobs stormy mister hamlet aardvark butterfl marathon paladin cavalier manchester skater indigo
        hornet buckeyes 01011990 indians karate hesoyam toronto diamonds chiefs buckeye 1qaz2wsx3edc highland hotsex
        charger redman passwor maiden drpepper storm pornstar garden 12345678910 pencil sherlock timber thuglife insane
        pizza jungle jesus1 aragorn 1a2b3c hamster david1 triumph techno lollol pioneer catdog 321654 fktrctq morpheus
        141627 pascal shadow1 hobbit wetpussy erotic consumer blabla justme stones chrissy spartak goforit burger
        pitbull adgjmptw italia barcelona hunting colors kissme virgin overlord pebbles sundance emerald doggy racecar
        irina element 1478963 zipper alpine basket goddess poison nipple sakura chichi huskers 13579 pussys q12345
        ultimate ncc1701e blackie nicola rommel matthew1 caserta omega geronimo sammy1 trojan 123qwe123 philips nugget
        tarzan chicks aleksandr bassman trixie portugal anakin dodger bomber superfly madness q1w2e3r4t5y6 loser 123asd
        fatcat ybrbnf soldier warlock wrinkle1 desire sexual babe seminole alejandr 951753 11235813 westham andrei
        concrete access14 weed letmein2 ladybug naked christop trombone tintin bluesky rhbcnbyf qazxswedc onelove
        cdtnkfyf whore vfvjxrf titans stallion truck hansolo blue22 smiles beagle panama kingkong flatron inferno
        mongoose connect poiuyt snatch qawsed juice blessed rocker snakes turbo bluemoon sex4me finger jamaica a1234567
        mulder beetle fuckyou1 passat immortal plastic 123454321 anthony1 whiskey dietcoke suck spunky magic1 monitor
        cactus exigen planet ripper teen spyder apple1 nolimit hollywoo sluts sticky trunks 1234321 14789632 pickles
        sailing bonehead ghbdtnbr delta charlott rubber 911911 112358 molly1 yomama hongkong jumper william1 ilovesex
        faster unreal cumming memphis 1123581321 nylons legion sebastia shalom pentium geheim werewolf funtime ferret
        orion curious 555666 niners cantona sprite philly pirates abgrtyu lollipop eternity boeing super123 sweets
        cooldude tottenha green1 jackoff stocking 7895123 moomoo martini biscuit drizzt colt45 fossil makaveli snapper
        satan666 maniac salmon patriot verbatim nasty shasta asdzxc shaved blackcat raistlin qwerty12345 punkrock cjkywt
        01012010 4128 waterloo crimson twister oxford musicman seinfeld biggie condor ravens megadeth wolfman cosmos
        sharks banshee keeper foxtrot gn56gn56 skywalke velvet black1 sesame dogs squirrel privet sunrise wolverine
        sucks legolas grendel ghost cats carrot frosty lvbnhbq blades stardust frog qazwsxed 121314 coolio brownie
        groovy twilight daytona vanhalen pikachu peanuts licker hershey jericho intrepid ninja 1234567a zaq123 lobster
        goblin punisher strider shogun kansas amadeus seven7 jason1 neptune showtime muscle oldman ekaterina rfrfirf
        getsome showme 111222333 obiwan skittles danni tanker maestro tarheel anubis hannibal anal newlife gothic shark
        fighter blue123 blues 123456z princes slick chaos thunder1 sabine 1q2w3e4r5t6y python test1 mirage devil clover
        tequila chelsea1 surfing delete potato chubby panasonic sandiego portland baggins fusion sooners blackdog
        buttons californ moscow playtime mature 1a2b3c4d dagger dima stimpy asdf123 gangster warriors iverson chargers
        byteme swallow liquid lucky7 dingdong nymets cracker mushroom 456852 crusader bigguy miami dkflbvbh bugger
        nimrod tazman stranger newpass doodle powder gotcha guardian dublin slapshot septembe 147896325 pepsi1 milano
        grizzly woody1 knights photos 2468 nookie charly rammstein brasil 123321123 scruffy munchkin poopie 123098
        kittycat latino walnut 1701 thegame viper1 1passwor kolobok picasso robert1 barcelon bananas trance auburn
        coltrane eatshit goodluck starcraft wheels parrot postal blade wisdom pink gorilla katerina pass123 andrew1
        shaney14 dumbass osiris fuck_inside oakland discover ranger1 spanking lonestar bingo meridian ping heather1
        dookie stonecol megaman 192837465 rjntyjr ledzep lowrider 25802580 richard1 firefly griffey racerx paradox
        ghjcnj gangsta zaq1xsw2 tacobell weezer sirius halflife buffett shiloh 123698745 vertigo sergei aliens sobaka
        keyboard kangaroo sinner soccer1 0.0.000 bonjour socrates chucky hotboy sprint 0007 sarah1 scarlet celica shazam
        formula1 sommer trebor qwerasdf jeep mailcreated5240 bollox asshole1 fuckface honda1 rebels vacation lexmark
        penguins 12369874 ragnarok formula 258456 tempest vfhecz tacoma qwertz colombia flames rockon duck prodigy
        wookie dodgeram mustangs 123qaz sithlord smoker server bang incubus scoobydo oblivion molson kitkat titleist
        rescue zxcv1234 carpet 1122 bigballs tardis jimbob xanadu blueeyes shaman mersedes pooper pussy69 golfing hearts
        mallard 12312312 kenwood patrick1 dogg cowboys1 oracle 123zxc nuttertools 102938 topper 1122334455 shemale
        sleepy gremlin yourmom 123987 gateway1 printer monkeys peterpan mikey kingston cooler analsex jimbo pa55word
        asterix freckles birdman frank1 defiant aussie stud blondes tatyana 445566 aspirine mariners jackal deadhead
        katrin anime rootbeer frogger polo scooter1 hallo noodles thomas1 parola shaolin celine 11112222 plymouth
        creampie justdoit ohyeah fatass assfuck amazon 1234567q kisses magnus camel nopass bosco 987456 6751520 harley1
        putter champs massive spidey lightnin camelot letsgo gizmodo aezakmi bones caliente 12121 goodtime thankyou
        raiders1 brucelee redalert aquarius 456654 catherin smokin pooh mypass astros roller porkchop sapphire qwert123
        kevin1 a1s2d3f4 beckham atomic rusty1 vanilla qazwsxedcrfv hunter1 kaktus cxfcnmt blacky 753159 elvis1 aggies
        blackjac bangkok scream 123321q iforgot power1 kasper abc12 buster1 slappy shitty veritas chevrole amber1
        01012001 vader amsterdam jammer primus spectrum eduard granny horny1 sasha1 clancy usa123 satan diamond1 hitler
        avenger 1221 spankme 123456qwerty simba smudge scrappy labrador john316 syracuse front242 falcons husker
        candyman commando gator pacman delta1 pancho krishna fatman clitoris pineappl lesbians 8j4ye3uz barkley vulcan
        punkin boner celtics monopoly flyboy romashka hamburg 123456aa lick gangbang 223344 area51 spartans aaa111
        tricky snuggles drago homerun vectra homer1 hermes topcat cuddles infiniti 1234567890q cosworth goose phoenix1
        killer1 ivanov bossman qawsedrf peugeot exigent doberman durango brandon1 plumber telefon horndog laguna rbhbkk
        dawg webmaster breeze beast porsche9 beefcake leopard redbull oscar1 topdog godsmack theking pics omega1 speaker
        viktoria fuckers bowler starbuck gjkbyf valhalla anarchy blacks herbie kingpin starfish nokia loveit achilles
        906090 labtec ncc1701a fitness jordan1 brando arsenal1 bull kicker napass desert sailboat bohica tractor hidden
        muppet jackson1 jimmy1 terminator phillies terror farside swingers legacy frontier butthole doughboy jrcfyf
        tuesday sabbath daniel1 nebraska homers qwertyuio azamat fallen agent007 striker camels iguana looker pinkfloy
        moloko qwerty123456 dannyboy luckydog 789654 pistol whocares charmed skiing select franky puppy daniil vladik
        vette vfrcbvrf ihateyou nevada moneys vkontakte mandingo puppies 666777 mystic zidane kotenok dilligaf budman
        bunghole zvezda 123457 triton golfball technics trojans panda laptop rookie 01011991 15426378 aberdeen gustav
        jethro enterprise igor stripper filter hurrican rfnthbyf lespaul gizmo1 butch 132435 dthjybrf 1366613 excalibu
        963852 nofear momoney possum cutter oilers moocow cupcake gbpltw batman1 splash svetik super1 soleil bogdan
        melissa1 vipers babyboy tdutybq lancelot ccbill keystone passwort flamingo firefox dogman vortex rebel noodle
        raven1 zaphod killme pokemon1 coolman danila designer skinny kamikaze deadman gopher doobie warhammer deeznuts
        freaks engage chevy1 steve1 apollo13 poncho hammers azsxdc dracula 000007 sassy bitch1 boots deskjet 12332
        macdaddy mighty rangers1 manchest sterlin casey1 meatball mailman sinatra cthulhu summer1 bubbas cartoon bicycle
        eatpussy truelove sentinel tolkien breast capone lickit summit 123456k peter1 daisy1 kitty1 123456789z crazy1
        jamesbon texas1 sexygirl 362436 sonic billyboy redhot microsof microlab daddy1 autumn january february march
        april june july august september october november december wednesday thursday saturday administrator default
        guest login azure entra office company customer support temporary azertyuiop 1960 1961 1962 1963 1964 1965 1966
        1967 1968 1969 1970 1971 1972 1973 1974 1975 1976 1977 1978 1979 1980 1981 1982 1983 1984 1985 1986 1987 1988
        1989 1990 1991 1992 1993 1994 1995 1996 1997 1998 1999 2000 2001 2002 2003 2004 2005 2006 2007 2008 2009 2010
        2011 2012 2013 2014 2015 2016 2017 2018 2019 2020 2021 2022 2023 2024 2025 2026 2027 2028 2029
        """

    /// 3965 passwords that satisfy the rules of length and classes.
    static let passwords = """
        P@ssw0rd P@ssword1 Passw0rd! Pa55w0rd Pa55word! Qwerty123! Qwerty1! Qwertyuiop1 Abcd1234 Abcd1234! Abc123456
        Abc12345! Aa123456 Aa123456! Aa12345678 A1b2c3d4 A1b2c3d4! Zaq12wsx Zaq1@wsx !QAZ2wsx 1qaz@WSX 1qaz2WSX 1qazXSW@
        Qaz123wsx Q1w2e3r4 Q1w2e3r4! Q1w2e3r4t5 1Q2w3e4r 1q2w3e4R! Asdf1234 Asdf1234! Zxcv1234 Zxcvbnm1 Asdfghjkl1
        Test1234 Test1234! Temp1234 Temp1234! Changeme1! Changeme123 Welcome@1 Welcome1 Admin123! Admin@123 Admin1234
        Root1234 Letmein1! Iloveyou1! Iloveyou2! User1234 Secret123! Master123! Google123 Micr0soft Micr0s0ft! Windows10
        Windows11 Office365 Summer01 Winter01 Spring01 Autumn01 Monday01 Friday01 Password1! Password12 Password123
        Password123! Password1234 Password@123 Password#1 Password2023 Password2024 Password2025 Password2026
        Password2025! Password2026! Qwerty12 Qwerty123 Qwerty1234 Qwerty@123 Qwerty#1 Qwerty2023 Qwerty2024 Qwerty2025
        Qwerty2026 Qwerty2025! Qwerty2026! Dragon1! Dragon12 Dragon123 Dragon123! Dragon1234 Dragon@123 Dragon#1
        Dragon2023 Dragon2024 Dragon2025 Dragon2026 Dragon2025! Dragon2026! Baseball1 Baseball1! Baseball12 Baseball123
        Baseball123! Baseball1234 Baseball@123 Baseball#1 Baseball2023 Baseball2024 Baseball2025 Baseball2026
        Baseball2025! Baseball2026! Football1 Football1! Football12 Football123 Football123! Football1234 Football@123
        Football#1 Football2023 Football2024 Football2025 Football2026 Football2025! Football2026! Monkey1! Monkey12
        Monkey123 Monkey123! Monkey1234 Monkey@123 Monkey#1 Monkey2023 Monkey2024 Monkey2025 Monkey2026 Monkey2025!
        Monkey2026! Letmein1 Letmein12 Letmein123 Letmein123! Letmein1234 Letmein@123 Letmein#1 Letmein2023 Letmein2024
        Letmein2025 Letmein2026 Letmein2025! Letmein2026! Shadow1! Shadow12 Shadow123 Shadow123! Shadow1234 Shadow@123
        Shadow#1 Shadow2023 Shadow2024 Shadow2025 Shadow2026 Shadow2025! Shadow2026! Master1! Master12 Master123
        Master1234 Master@123 Master#1 Master2023 Master2024 Master2025 Master2026 Master2025! Master2026! Mustang1
        Mustang1! Mustang12 Mustang123 Mustang123! Mustang1234 Mustang@123 Mustang#1 Mustang2023 Mustang2024 Mustang2025
        Mustang2026 Mustang2025! Mustang2026! Qwertyuiop1! Qwertyuiop12 Qwertyuiop123 Qwertyuiop123! Qwertyuiop1234
        Qwertyuiop@123 Qwertyuiop#1 Qwertyuiop2023 Qwertyuiop2024 Qwertyuiop2025 Qwertyuiop2026 Qwertyuiop2025!
        Qwertyuiop2026! Pussy123 Pussy123! Pussy1234 Pussy@123 Pussy2023 Pussy2024 Pussy2025 Pussy2026 Pussy2025!
        Pussy2026! Superman1 Superman1! Superman12 Superman123 Superman123! Superman1234 Superman@123 Superman#1
        Superman2023 Superman2024 Superman2025 Superman2026 Superman2025! Superman2026! Fuckyou1 Fuckyou1! Fuckyou12
        Fuckyou123 Fuckyou123! Fuckyou1234 Fuckyou@123 Fuckyou#1 Fuckyou2023 Fuckyou2024 Fuckyou2025 Fuckyou2026
        Fuckyou2025! Fuckyou2026! Qazwsx1! Qazwsx12 Qazwsx123 Qazwsx123! Qazwsx1234 Qazwsx@123 Qazwsx#1 Qazwsx2023
        Qazwsx2024 Qazwsx2025 Qazwsx2026 Qazwsx2025! Qazwsx2026! Jordan1! Jordan12 Jordan123 Jordan123! Jordan1234
        Jordan@123 Jordan#1 Jordan2023 Jordan2024 Jordan2025 Jordan2026 Jordan2025! Jordan2026! Killer1! Killer12
        Killer123 Killer123! Killer1234 Killer@123 Killer#1 Killer2023 Killer2024 Killer2025 Killer2026 Killer2025!
        Killer2026! Hunter1! Hunter12 Hunter123 Hunter123! Hunter1234 Hunter@123 Hunter#1 Hunter2023 Hunter2024
        Hunter2025 Hunter2026 Hunter2025! Hunter2026! Harley1! Harley12 Harley123 Harley123! Harley1234 Harley@123
        Harley#1 Harley2023 Harley2024 Harley2025 Harley2026 Harley2025! Harley2026! Zxcvbnm1! Zxcvbnm12 Zxcvbnm123
        Zxcvbnm123! Zxcvbnm1234 Zxcvbnm@123 Zxcvbnm#1 Zxcvbnm2023 Zxcvbnm2024 Zxcvbnm2025 Zxcvbnm2026 Zxcvbnm2025!
        Zxcvbnm2026! Asdfgh1! Asdfgh12 Asdfgh123 Asdfgh123! Asdfgh1234 Asdfgh@123 Asdfgh#1 Asdfgh2023 Asdfgh2024
        Asdfgh2025 Asdfgh2026 Asdfgh2025! Asdfgh2026! Buster1! Buster12 Buster123 Buster123! Buster1234 Buster@123
        Buster#1 Buster2023 Buster2024 Buster2025 Buster2026 Buster2025! Buster2026! Batman1! Batman12 Batman123
        Batman123! Batman1234 Batman@123 Batman#1 Batman2023 Batman2024 Batman2025 Batman2026 Batman2025! Batman2026!
        Soccer1! Soccer12 Soccer123 Soccer123! Soccer1234 Soccer@123 Soccer#1 Soccer2023 Soccer2024 Soccer2025
        Soccer2026 Soccer2025! Soccer2026! Tigger1! Tigger12 Tigger123 Tigger123! Tigger1234 Tigger@123 Tigger#1
        Tigger2023 Tigger2024 Tigger2025 Tigger2026 Tigger2025! Tigger2026! Charlie1 Charlie1! Charlie12 Charlie123
        Charlie123! Charlie1234 Charlie@123 Charlie#1 Charlie2023 Charlie2024 Charlie2025 Charlie2026 Charlie2025!
        Charlie2026! Sunshine1 Sunshine1! Sunshine12 Sunshine123 Sunshine123! Sunshine1234 Sunshine@123 Sunshine#1
        Sunshine2023 Sunshine2024 Sunshine2025 Sunshine2026 Sunshine2025! Sunshine2026! Iloveyou1 Iloveyou12 Iloveyou123
        Iloveyou123! Iloveyou1234 Iloveyou@123 Iloveyou#1 Iloveyou2023 Iloveyou2024 Iloveyou2025 Iloveyou2026
        Iloveyou2025! Iloveyou2026! Fuckme1! Fuckme12 Fuckme123 Fuckme123! Fuckme1234 Fuckme@123 Fuckme#1 Fuckme2023
        Fuckme2024 Fuckme2025 Fuckme2026 Fuckme2025! Fuckme2026! Ranger1! Ranger12 Ranger123 Ranger123! Ranger1234
        Ranger@123 Ranger#1 Ranger2023 Ranger2024 Ranger2025 Ranger2026 Ranger2025! Ranger2026! Hockey1! Hockey12
        Hockey123 Hockey123! Hockey1234 Hockey@123 Hockey#1 Hockey2023 Hockey2024 Hockey2025 Hockey2026 Hockey2025!
        Hockey2026! Computer1 Computer1! Computer12 Computer123 Computer123! Computer1234 Computer@123 Computer#1
        Computer2023 Computer2024 Computer2025 Computer2026 Computer2025! Computer2026! Starwars1 Starwars1! Starwars12
        Starwars123 Starwars123! Starwars1234 Starwars@123 Starwars#1 Starwars2023 Starwars2024 Starwars2025
        Starwars2026 Starwars2025! Starwars2026! Asshole1 Asshole1! Asshole12 Asshole123 Asshole123! Asshole1234
        Asshole@123 Asshole#1 Asshole2023 Asshole2024 Asshole2025 Asshole2026 Asshole2025! Asshole2026! Pepper1!
        Pepper12 Pepper123 Pepper123! Pepper1234 Pepper@123 Pepper#1 Pepper2023 Pepper2024 Pepper2025 Pepper2026
        Pepper2025! Pepper2026! Klaster1 Klaster1! Klaster12 Klaster123 Klaster123! Klaster1234 Klaster@123 Klaster#1
        Klaster2023 Klaster2024 Klaster2025 Klaster2026 Klaster2025! Klaster2026! Zxcvbn1! Zxcvbn12 Zxcvbn123 Zxcvbn123!
        Zxcvbn1234 Zxcvbn@123 Zxcvbn#1 Zxcvbn2023 Zxcvbn2024 Zxcvbn2025 Zxcvbn2026 Zxcvbn2025! Zxcvbn2026! Freedom1
        Freedom1! Freedom12 Freedom123 Freedom123! Freedom1234 Freedom@123 Freedom#1 Freedom2023 Freedom2024 Freedom2025
        Freedom2026 Freedom2025! Freedom2026! Princess1 Princess1! Princess12 Princess123 Princess123! Princess1234
        Princess@123 Princess#1 Princess2023 Princess2024 Princess2025 Princess2026 Princess2025! Princess2026! Maggie1!
        Maggie12 Maggie123 Maggie123! Maggie1234 Maggie@123 Maggie#1 Maggie2023 Maggie2024 Maggie2025 Maggie2026
        Maggie2025! Maggie2026! Pass123! Pass1234 Pass@123 Pass2023 Pass2024 Pass2025 Pass2026 Pass2025! Pass2026!
        Ginger1! Ginger12 Ginger123 Ginger123! Ginger1234 Ginger@123 Ginger#1 Ginger2023 Ginger2024 Ginger2025
        Ginger2026 Ginger2025! Ginger2026! Fuck123! Fuck1234 Fuck@123 Fuck2023 Fuck2024 Fuck2025 Fuck2026 Fuck2025!
        Fuck2026! Love123! Love1234 Love@123 Love2023 Love2024 Love2025 Love2026 Love2025! Love2026! Cheese1! Cheese12
        Cheese123 Cheese123! Cheese1234 Cheese@123 Cheese#1 Cheese2023 Cheese2024 Cheese2025 Cheese2026 Cheese2025!
        Cheese2026! Summer1! Summer12 Summer123 Summer123! Summer1234 Summer@123 Summer#1 Summer2023 Summer2024
        Summer2025 Summer2026 Summer2025! Summer2026! Chelsea1 Chelsea1! Chelsea12 Chelsea123 Chelsea123! Chelsea1234
        Chelsea@123 Chelsea#1 Chelsea2023 Chelsea2024 Chelsea2025 Chelsea2026 Chelsea2025! Chelsea2026! Dallas1!
        Dallas12 Dallas123 Dallas123! Dallas1234 Dallas@123 Dallas#1 Dallas2023 Dallas2024 Dallas2025 Dallas2026
        Dallas2025! Dallas2026! Biteme1! Biteme12 Biteme123 Biteme123! Biteme1234 Biteme@123 Biteme#1 Biteme2023
        Biteme2024 Biteme2025 Biteme2026 Biteme2025! Biteme2026! Matrix1! Matrix12 Matrix123 Matrix123! Matrix1234
        Matrix@123 Matrix#1 Matrix2023 Matrix2024 Matrix2025 Matrix2026 Matrix2025! Matrix2026! Yankees1 Yankees1!
        Yankees12 Yankees123 Yankees123! Yankees1234 Yankees@123 Yankees#1 Yankees2023 Yankees2024 Yankees2025
        Yankees2026 Yankees2025! Yankees2026! Corvette1 Corvette1! Corvette12 Corvette123 Corvette123! Corvette1234
        Corvette@123 Corvette#1 Corvette2023 Corvette2024 Corvette2025 Corvette2026 Corvette2025! Corvette2026! Austin1!
        Austin12 Austin123 Austin123! Austin1234 Austin@123 Austin#1 Austin2023 Austin2024 Austin2025 Austin2026
        Austin2025! Austin2026! Access1! Access12 Access123 Access123! Access1234 Access@123 Access#1 Access2023
        Access2024 Access2025 Access2026 Access2025! Access2026! Thunder1 Thunder1! Thunder12 Thunder123 Thunder123!
        Thunder1234 Thunder@123 Thunder#1 Thunder2023 Thunder2024 Thunder2025 Thunder2026 Thunder2025! Thunder2026!
        Merlin1! Merlin12 Merlin123 Merlin123! Merlin1234 Merlin@123 Merlin#1 Merlin2023 Merlin2024 Merlin2025
        Merlin2026 Merlin2025! Merlin2026! Secret1! Secret12 Secret123 Secret1234 Secret@123 Secret#1 Secret2023
        Secret2024 Secret2025 Secret2026 Secret2025! Secret2026! Diamond1 Diamond1! Diamond12 Diamond123 Diamond123!
        Diamond1234 Diamond@123 Diamond#1 Diamond2023 Diamond2024 Diamond2025 Diamond2026 Diamond2025! Diamond2026!
        Hello123 Hello123! Hello1234 Hello@123 Hello2023 Hello2024 Hello2025 Hello2026 Hello2025! Hello2026! Hammer1!
        Hammer12 Hammer123 Hammer123! Hammer1234 Hammer@123 Hammer#1 Hammer2023 Hammer2024 Hammer2025 Hammer2026
        Hammer2025! Hammer2026! Fucker1! Fucker12 Fucker123 Fucker123! Fucker1234 Fucker@123 Fucker#1 Fucker2023
        Fucker2024 Fucker2025 Fucker2026 Fucker2025! Fucker2026! Silver1! Silver12 Silver123 Silver123! Silver1234
        Silver@123 Silver#1 Silver2023 Silver2024 Silver2025 Silver2026 Silver2025! Silver2026! Gfhjkm1! Gfhjkm12
        Gfhjkm123 Gfhjkm123! Gfhjkm1234 Gfhjkm@123 Gfhjkm#1 Gfhjkm2023 Gfhjkm2024 Gfhjkm2025 Gfhjkm2026 Gfhjkm2025!
        Gfhjkm2026! Internet1 Internet1! Internet12 Internet123 Internet123! Internet1234 Internet@123 Internet#1
        Internet2023 Internet2024 Internet2025 Internet2026 Internet2025! Internet2026! Samantha1 Samantha1! Samantha12
        Samantha123 Samantha123! Samantha1234 Samantha@123 Samantha#1 Samantha2023 Samantha2024 Samantha2025
        Samantha2026 Samantha2025! Samantha2026! Golfer1! Golfer12 Golfer123 Golfer123! Golfer1234 Golfer@123 Golfer#1
        Golfer2023 Golfer2024 Golfer2025 Golfer2026 Golfer2025! Golfer2026! Scooter1 Scooter1! Scooter12 Scooter123
        Scooter123! Scooter1234 Scooter@123 Scooter#1 Scooter2023 Scooter2024 Scooter2025 Scooter2026 Scooter2025!
        Scooter2026! Test123! Test@123 Test2023 Test2024 Test2025 Test2026 Test2025! Test2026! Orange1! Orange12
        Orange123 Orange123! Orange1234 Orange@123 Orange#1 Orange2023 Orange2024 Orange2025 Orange2026 Orange2025!
        Orange2026! Cookie1! Cookie12 Cookie123 Cookie123! Cookie1234 Cookie@123 Cookie#1 Cookie2023 Cookie2024
        Cookie2025 Cookie2026 Cookie2025! Cookie2026! Maverick1 Maverick1! Maverick12 Maverick123 Maverick123!
        Maverick1234 Maverick@123 Maverick#1 Maverick2023 Maverick2024 Maverick2025 Maverick2026 Maverick2025!
        Maverick2026! Sparky1! Sparky12 Sparky123 Sparky123! Sparky1234 Sparky@123 Sparky#1 Sparky2023 Sparky2024
        Sparky2025 Sparky2026 Sparky2025! Sparky2026! Phoenix1 Phoenix1! Phoenix12 Phoenix123 Phoenix123! Phoenix1234
        Phoenix@123 Phoenix#1 Phoenix2023 Phoenix2024 Phoenix2025 Phoenix2026 Phoenix2025! Phoenix2026! Mickey1!
        Mickey12 Mickey123 Mickey123! Mickey1234 Mickey@123 Mickey#1 Mickey2023 Mickey2024 Mickey2025 Mickey2026
        Mickey2025! Mickey2026! Bigdog1! Bigdog12 Bigdog123 Bigdog123! Bigdog1234 Bigdog@123 Bigdog#1 Bigdog2023
        Bigdog2024 Bigdog2025 Bigdog2026 Bigdog2025! Bigdog2026! Snoopy1! Snoopy12 Snoopy123 Snoopy123! Snoopy1234
        Snoopy@123 Snoopy#1 Snoopy2023 Snoopy2024 Snoopy2025 Snoopy2026 Snoopy2025! Snoopy2026! Guitar1! Guitar12
        Guitar123 Guitar123! Guitar1234 Guitar@123 Guitar#1 Guitar2023 Guitar2024 Guitar2025 Guitar2026 Guitar2025!
        Guitar2026! Whatever1 Whatever1! Whatever12 Whatever123 Whatever123! Whatever1234 Whatever@123 Whatever#1
        Whatever2023 Whatever2024 Whatever2025 Whatever2026 Whatever2025! Whatever2026! Chicken1 Chicken1! Chicken12
        Chicken123 Chicken123! Chicken1234 Chicken@123 Chicken#1 Chicken2023 Chicken2024 Chicken2025 Chicken2026
        Chicken2025! Chicken2026! Camaro1! Camaro12 Camaro123 Camaro123! Camaro1234 Camaro@123 Camaro#1 Camaro2023
        Camaro2024 Camaro2025 Camaro2026 Camaro2025! Camaro2026! Mercedes1 Mercedes1! Mercedes12 Mercedes123
        Mercedes123! Mercedes1234 Mercedes@123 Mercedes#1 Mercedes2023 Mercedes2024 Mercedes2025 Mercedes2026
        Mercedes2025! Mercedes2026! Peanut1! Peanut12 Peanut123 Peanut123! Peanut1234 Peanut@123 Peanut#1 Peanut2023
        Peanut2024 Peanut2025 Peanut2026 Peanut2025! Peanut2026! Ferrari1 Ferrari1! Ferrari12 Ferrari123 Ferrari123!
        Ferrari1234 Ferrari@123 Ferrari#1 Ferrari2023 Ferrari2024 Ferrari2025 Ferrari2026 Ferrari2025! Ferrari2026!
        Falcon1! Falcon12 Falcon123 Falcon123! Falcon1234 Falcon@123 Falcon#1 Falcon2023 Falcon2024 Falcon2025
        Falcon2026 Falcon2025! Falcon2026! Cowboy1! Cowboy12 Cowboy123 Cowboy123! Cowboy1234 Cowboy@123 Cowboy#1
        Cowboy2023 Cowboy2024 Cowboy2025 Cowboy2026 Cowboy2025! Cowboy2026! Welcome1! Welcome12 Welcome123 Welcome123!
        Welcome1234 Welcome@123 Welcome#1 Welcome2023 Welcome2024 Welcome2025 Welcome2026 Welcome2025! Welcome2026!
        Sexy123! Sexy1234 Sexy@123 Sexy2023 Sexy2024 Sexy2025 Sexy2026 Sexy2025! Sexy2026! Samsung1 Samsung1! Samsung12
        Samsung123 Samsung123! Samsung1234 Samsung@123 Samsung#1 Samsung2023 Samsung2024 Samsung2025 Samsung2026
        Samsung2025! Samsung2026! Steelers1 Steelers1! Steelers12 Steelers123 Steelers123! Steelers1234 Steelers@123
        Steelers#1 Steelers2023 Steelers2024 Steelers2025 Steelers2026 Steelers2025! Steelers2026! Smokey1! Smokey12
        Smokey123 Smokey123! Smokey1234 Smokey@123 Smokey#1 Smokey2023 Smokey2024 Smokey2025 Smokey2026 Smokey2025!
        Smokey2026! Dakota1! Dakota12 Dakota123 Dakota123! Dakota1234 Dakota@123 Dakota#1 Dakota2023 Dakota2024
        Dakota2025 Dakota2026 Dakota2025! Dakota2026! Arsenal1 Arsenal1! Arsenal12 Arsenal123 Arsenal123! Arsenal1234
        Arsenal@123 Arsenal#1 Arsenal2023 Arsenal2024 Arsenal2025 Arsenal2026 Arsenal2025! Arsenal2026! Boomer1!
        Boomer12 Boomer123 Boomer123! Boomer1234 Boomer@123 Boomer#1 Boomer2023 Boomer2024 Boomer2025 Boomer2026
        Boomer2025! Boomer2026! Eagles1! Eagles12 Eagles123 Eagles123! Eagles1234 Eagles@123 Eagles#1 Eagles2023
        Eagles2024 Eagles2025 Eagles2026 Eagles2025! Eagles2026! Tigers1! Tigers12 Tigers123 Tigers123! Tigers1234
        Tigers@123 Tigers#1 Tigers2023 Tigers2024 Tigers2025 Tigers2026 Tigers2025! Tigers2026! Marina1! Marina12
        Marina123 Marina123! Marina1234 Marina@123 Marina#1 Marina2023 Marina2024 Marina2025 Marina2026 Marina2025!
        Marina2026! Nascar1! Nascar12 Nascar123 Nascar123! Nascar1234 Nascar@123 Nascar#1 Nascar2023 Nascar2024
        Nascar2025 Nascar2026 Nascar2025! Nascar2026! Booboo1! Booboo12 Booboo123 Booboo123! Booboo1234 Booboo@123
        Booboo#1 Booboo2023 Booboo2024 Booboo2025 Booboo2026 Booboo2025! Booboo2026! Gateway1 Gateway1! Gateway12
        Gateway123 Gateway123! Gateway1234 Gateway@123 Gateway#1 Gateway2023 Gateway2024 Gateway2025 Gateway2026
        Gateway2025! Gateway2026! Yellow1! Yellow12 Yellow123 Yellow123! Yellow1234 Yellow@123 Yellow#1 Yellow2023
        Yellow2024 Yellow2025 Yellow2026 Yellow2025! Yellow2026! Porsche1 Porsche1! Porsche12 Porsche123 Porsche123!
        Porsche1234 Porsche@123 Porsche#1 Porsche2023 Porsche2024 Porsche2025 Porsche2026 Porsche2025! Porsche2026!
        Monster1 Monster1! Monster12 Monster123 Monster123! Monster1234 Monster@123 Monster#1 Monster2023 Monster2024
        Monster2025 Monster2026 Monster2025! Monster2026! Spider1! Spider12 Spider123 Spider123! Spider1234 Spider@123
        Spider#1 Spider2023 Spider2024 Spider2025 Spider2026 Spider2025! Spider2026! Diablo1! Diablo12 Diablo123
        Diablo123! Diablo1234 Diablo@123 Diablo#1 Diablo2023 Diablo2024 Diablo2025 Diablo2026 Diablo2025! Diablo2026!
        Hannah1! Hannah12 Hannah123 Hannah123! Hannah1234 Hannah@123 Hannah#1 Hannah2023 Hannah2024 Hannah2025
        Hannah2026 Hannah2025! Hannah2026! Bulldog1 Bulldog1! Bulldog12 Bulldog123 Bulldog123! Bulldog1234 Bulldog@123
        Bulldog#1 Bulldog2023 Bulldog2024 Bulldog2025 Bulldog2026 Bulldog2025! Bulldog2026! Junior1! Junior12 Junior123
        Junior123! Junior1234 Junior@123 Junior#1 Junior2023 Junior2024 Junior2025 Junior2026 Junior2025! Junior2026!
        London1! London12 London123 London123! London1234 London@123 London#1 London2023 London2024 London2025
        London2026 London2025! London2026! Purple1! Purple12 Purple123 Purple123! Purple1234 Purple@123 Purple#1
        Purple2023 Purple2024 Purple2025 Purple2026 Purple2025! Purple2026! Compaq1! Compaq12 Compaq123 Compaq123!
        Compaq1234 Compaq@123 Compaq#1 Compaq2023 Compaq2024 Compaq2025 Compaq2026 Compaq2025! Compaq2026! Lakers1!
        Lakers12 Lakers123 Lakers123! Lakers1234 Lakers@123 Lakers#1 Lakers2023 Lakers2024 Lakers2025 Lakers2026
        Lakers2025! Lakers2026! Iceman1! Iceman12 Iceman123 Iceman123! Iceman1234 Iceman@123 Iceman#1 Iceman2023
        Iceman2024 Iceman2025 Iceman2026 Iceman2025! Iceman2026! Hardcore1 Hardcore1! Hardcore12 Hardcore123
        Hardcore123! Hardcore1234 Hardcore@123 Hardcore#1 Hardcore2023 Hardcore2024 Hardcore2025 Hardcore2026
        Hardcore2025! Hardcore2026! Cowboys1 Cowboys1! Cowboys12 Cowboys123 Cowboys123! Cowboys1234 Cowboys@123
        Cowboys#1 Cowboys2023 Cowboys2024 Cowboys2025 Cowboys2026 Cowboys2025! Cowboys2026! Money123 Money123! Money1234
        Money@123 Money2023 Money2024 Money2025 Money2026 Money2025! Money2026! Banana1! Banana12 Banana123 Banana123!
        Banana1234 Banana@123 Banana#1 Banana2023 Banana2024 Banana2025 Banana2026 Banana2025! Banana2026! Boston1!
        Boston12 Boston123 Boston123! Boston1234 Boston@123 Boston#1 Boston2023 Boston2024 Boston2025 Boston2026
        Boston2025! Boston2026! Tennis1! Tennis12 Tennis123 Tennis123! Tennis1234 Tennis@123 Tennis#1 Tennis2023
        Tennis2024 Tennis2025 Tennis2026 Tennis2025! Tennis2026! Coffee1! Coffee12 Coffee123 Coffee123! Coffee1234
        Coffee@123 Coffee#1 Coffee2023 Coffee2024 Coffee2025 Coffee2026 Coffee2025! Coffee2026! Scooby1! Scooby12
        Scooby123 Scooby123! Scooby1234 Scooby@123 Scooby#1 Scooby2023 Scooby2024 Scooby2025 Scooby2026 Scooby2025!
        Scooby2026! Nikita1! Nikita12 Nikita123 Nikita123! Nikita1234 Nikita@123 Nikita#1 Nikita2023 Nikita2024
        Nikita2025 Nikita2026 Nikita2025! Nikita2026! Yamaha1! Yamaha12 Yamaha123 Yamaha123! Yamaha1234 Yamaha@123
        Yamaha#1 Yamaha2023 Yamaha2024 Yamaha2025 Yamaha2026 Yamaha2025! Yamaha2026! Mother1! Mother12 Mother123
        Mother123! Mother1234 Mother@123 Mother#1 Mother2023 Mother2024 Mother2025 Mother2026 Mother2025! Mother2026!
        Barney1! Barney12 Barney123 Barney123! Barney1234 Barney@123 Barney#1 Barney2023 Barney2024 Barney2025
        Barney2026 Barney2025! Barney2026! Brandy1! Brandy12 Brandy123 Brandy123! Brandy1234 Brandy@123 Brandy#1
        Brandy2023 Brandy2024 Brandy2025 Brandy2026 Brandy2025! Brandy2026! Chester1 Chester1! Chester12 Chester123
        Chester123! Chester1234 Chester@123 Chester#1 Chester2023 Chester2024 Chester2025 Chester2026 Chester2025!
        Chester2026! Fuckoff1 Fuckoff1! Fuckoff12 Fuckoff123 Fuckoff123! Fuckoff1234 Fuckoff@123 Fuckoff#1 Fuckoff2023
        Fuckoff2024 Fuckoff2025 Fuckoff2026 Fuckoff2025! Fuckoff2026! Oliver1! Oliver12 Oliver123 Oliver123! Oliver1234
        Oliver@123 Oliver#1 Oliver2023 Oliver2024 Oliver2025 Oliver2026 Oliver2025! Oliver2026! Player1! Player12
        Player123 Player123! Player1234 Player@123 Player#1 Player2023 Player2024 Player2025 Player2026 Player2025!
        Player2026! Forever1 Forever1! Forever12 Forever123 Forever123! Forever1234 Forever@123 Forever#1 Forever2023
        Forever2024 Forever2025 Forever2026 Forever2025! Forever2026! Rangers1 Rangers1! Rangers12 Rangers123
        Rangers123! Rangers1234 Rangers@123 Rangers#1 Rangers2023 Rangers2024 Rangers2025 Rangers2026 Rangers2025!
        Rangers2026! Midnight1 Midnight1! Midnight12 Midnight123 Midnight123! Midnight1234 Midnight@123 Midnight#1
        Midnight2023 Midnight2024 Midnight2025 Midnight2026 Midnight2025! Midnight2026! Chicago1 Chicago1! Chicago12
        Chicago123 Chicago123! Chicago1234 Chicago@123 Chicago#1 Chicago2023 Chicago2024 Chicago2025 Chicago2026
        Chicago2025! Chicago2026! Bigdaddy1 Bigdaddy1! Bigdaddy12 Bigdaddy123 Bigdaddy123! Bigdaddy1234 Bigdaddy@123
        Bigdaddy#1 Bigdaddy2023 Bigdaddy2024 Bigdaddy2025 Bigdaddy2026 Bigdaddy2025! Bigdaddy2026! Redsox1! Redsox12
        Redsox123 Redsox123! Redsox1234 Redsox@123 Redsox#1 Redsox2023 Redsox2024 Redsox2025 Redsox2026 Redsox2025!
        Redsox2026! Angel123 Angel123! Angel1234 Angel@123 Angel2023 Angel2024 Angel2025 Angel2026 Angel2025! Angel2026!
        Badboy1! Badboy12 Badboy123 Badboy123! Badboy1234 Badboy@123 Badboy#1 Badboy2023 Badboy2024 Badboy2025
        Badboy2026 Badboy2025! Badboy2026! Fender1! Fender12 Fender123 Fender123! Fender1234 Fender@123 Fender#1
        Fender2023 Fender2024 Fender2025 Fender2026 Fender2025! Fender2026! Jasper1! Jasper12 Jasper123 Jasper123!
        Jasper1234 Jasper@123 Jasper#1 Jasper2023 Jasper2024 Jasper2025 Jasper2026 Jasper2025! Jasper2026! Slayer1!
        Slayer12 Slayer123 Slayer123! Slayer1234 Slayer@123 Slayer#1 Slayer2023 Slayer2024 Slayer2025 Slayer2026
        Slayer2025! Slayer2026! Rabbit1! Rabbit12 Rabbit123 Rabbit123! Rabbit1234 Rabbit@123 Rabbit#1 Rabbit2023
        Rabbit2024 Rabbit2025 Rabbit2026 Rabbit2025! Rabbit2026! Natasha1 Natasha1! Natasha12 Natasha123 Natasha123!
        Natasha1234 Natasha@123 Natasha#1 Natasha2023 Natasha2024 Natasha2025 Natasha2026 Natasha2025! Natasha2026!
        Marine1! Marine12 Marine123 Marine123! Marine1234 Marine@123 Marine#1 Marine2023 Marine2024 Marine2025
        Marine2026 Marine2025! Marine2026! Bigdick1 Bigdick1! Bigdick12 Bigdick123 Bigdick123! Bigdick1234 Bigdick@123
        Bigdick#1 Bigdick2023 Bigdick2024 Bigdick2025 Bigdick2026 Bigdick2025! Bigdick2026! Wizard1! Wizard12 Wizard123
        Wizard123! Wizard1234 Wizard@123 Wizard#1 Wizard2023 Wizard2024 Wizard2025 Wizard2026 Wizard2025! Wizard2026!
        Marlboro1 Marlboro1! Marlboro12 Marlboro123 Marlboro123! Marlboro1234 Marlboro@123 Marlboro#1 Marlboro2023
        Marlboro2024 Marlboro2025 Marlboro2026 Marlboro2025! Marlboro2026! Raiders1 Raiders1! Raiders12 Raiders123
        Raiders123! Raiders1234 Raiders@123 Raiders#1 Raiders2023 Raiders2024 Raiders2025 Raiders2026 Raiders2025!
        Raiders2026! Prince1! Prince12 Prince123 Prince123! Prince1234 Prince@123 Prince#1 Prince2023 Prince2024
        Prince2025 Prince2026 Prince2025! Prince2026! Casper1! Casper12 Casper123 Casper123! Casper1234 Casper@123
        Casper#1 Casper2023 Casper2024 Casper2025 Casper2026 Casper2025! Casper2026! Fishing1 Fishing1! Fishing12
        Fishing123 Fishing123! Fishing1234 Fishing@123 Fishing#1 Fishing2023 Fishing2024 Fishing2025 Fishing2026
        Fishing2025! Fishing2026! Flower1! Flower12 Flower123 Flower123! Flower1234 Flower@123 Flower#1 Flower2023
        Flower2024 Flower2025 Flower2026 Flower2025! Flower2026! Jasmine1 Jasmine1! Jasmine12 Jasmine123 Jasmine123!
        Jasmine1234 Jasmine@123 Jasmine#1 Jasmine2023 Jasmine2024 Jasmine2025 Jasmine2026 Jasmine2025! Jasmine2026!
        Iwantu1! Iwantu12 Iwantu123 Iwantu123! Iwantu1234 Iwantu@123 Iwantu#1 Iwantu2023 Iwantu2024 Iwantu2025
        Iwantu2026 Iwantu2025! Iwantu2026! Panties1 Panties1! Panties12 Panties123 Panties123! Panties1234 Panties@123
        Panties#1 Panties2023 Panties2024 Panties2025 Panties2026 Panties2025! Panties2026! Adidas1! Adidas12 Adidas123
        Adidas123! Adidas1234 Adidas@123 Adidas#1 Adidas2023 Adidas2024 Adidas2025 Adidas2026 Adidas2025! Adidas2026!
        Winter1! Winter12 Winter123 Winter123! Winter1234 Winter@123 Winter#1 Winter2023 Winter2024 Winter2025
        Winter2026 Winter2025! Winter2026! Winner1! Winner12 Winner123 Winner123! Winner1234 Winner@123 Winner#1
        Winner2023 Winner2024 Winner2025 Winner2026 Winner2025! Winner2026! Gandalf1 Gandalf1! Gandalf12 Gandalf123
        Gandalf123! Gandalf1234 Gandalf@123 Gandalf#1 Gandalf2023 Gandalf2024 Gandalf2025 Gandalf2026 Gandalf2025!
        Gandalf2026! Enter123 Enter123! Enter1234 Enter@123 Enter2023 Enter2024 Enter2025 Enter2026 Enter2025!
        Enter2026! Ghbdtn1! Ghbdtn12 Ghbdtn123 Ghbdtn123! Ghbdtn1234 Ghbdtn@123 Ghbdtn#1 Ghbdtn2023 Ghbdtn2024
        Ghbdtn2025 Ghbdtn2026 Ghbdtn2025! Ghbdtn2026! Golden1! Golden12 Golden123 Golden123! Golden1234 Golden@123
        Golden#1 Golden2023 Golden2024 Golden2025 Golden2026 Golden2025! Golden2026! Cocacola1 Cocacola1! Cocacola12
        Cocacola123 Cocacola123! Cocacola1234 Cocacola@123 Cocacola#1 Cocacola2023 Cocacola2024 Cocacola2025
        Cocacola2026 Cocacola2025! Cocacola2026! Winston1 Winston1! Winston12 Winston123 Winston123! Winston1234
        Winston@123 Winston#1 Winston2023 Winston2024 Winston2025 Winston2026 Winston2025! Winston2026! Madison1
        Madison1! Madison12 Madison123 Madison123! Madison1234 Madison@123 Madison#1 Madison2023 Madison2024 Madison2025
        Madison2026 Madison2025! Madison2026! Angels1! Angels12 Angels123 Angels123! Angels1234 Angels@123 Angels#1
        Angels2023 Angels2024 Angels2025 Angels2026 Angels2025! Angels2026! Panther1 Panther1! Panther12 Panther123
        Panther123! Panther1234 Panther@123 Panther#1 Panther2023 Panther2024 Panther2025 Panther2026 Panther2025!
        Panther2026! Blowme1! Blowme12 Blowme123 Blowme123! Blowme1234 Blowme@123 Blowme#1 Blowme2023 Blowme2024
        Blowme2025 Blowme2026 Blowme2025! Blowme2026! Sexsex1! Sexsex12 Sexsex123 Sexsex123! Sexsex1234 Sexsex@123
        Sexsex#1 Sexsex2023 Sexsex2024 Sexsex2025 Sexsex2026 Sexsex2025! Sexsex2026! Bigtits1 Bigtits1! Bigtits12
        Bigtits123 Bigtits123! Bigtits1234 Bigtits@123 Bigtits#1 Bigtits2023 Bigtits2024 Bigtits2025 Bigtits2026
        Bigtits2025! Bigtits2026! Spanky1! Spanky12 Spanky123 Spanky123! Spanky1234 Spanky@123 Spanky#1 Spanky2023
        Spanky2024 Spanky2025 Spanky2026 Spanky2025! Spanky2026! Bitch123 Bitch123! Bitch1234 Bitch@123 Bitch2023
        Bitch2024 Bitch2025 Bitch2026 Bitch2025! Bitch2026! Sophie1! Sophie12 Sophie123 Sophie123! Sophie1234 Sophie@123
        Sophie#1 Sophie2023 Sophie2024 Sophie2025 Sophie2026 Sophie2025! Sophie2026! Asdfasdf1 Asdfasdf1! Asdfasdf12
        Asdfasdf123 Asdfasdf123! Asdfasdf1234 Asdfasdf@123 Asdfasdf#1 Asdfasdf2023 Asdfasdf2024 Asdfasdf2025
        Asdfasdf2026 Asdfasdf2025! Asdfasdf2026! Horny123 Horny123! Horny1234 Horny@123 Horny2023 Horny2024 Horny2025
        Horny2026 Horny2025! Horny2026! Toyota1! Toyota12 Toyota123 Toyota123! Toyota1234 Toyota@123 Toyota#1 Toyota2023
        Toyota2024 Toyota2025 Toyota2026 Toyota2025! Toyota2026! Tiger123 Tiger123! Tiger1234 Tiger@123 Tiger2023
        Tiger2024 Tiger2025 Tiger2026 Tiger2025! Tiger2026! Dick123! Dick1234 Dick@123 Dick2023 Dick2024 Dick2025
        Dick2026 Dick2025! Dick2026! Canada1! Canada12 Canada123 Canada123! Canada1234 Canada@123 Canada#1 Canada2023
        Canada2024 Canada2025 Canada2026 Canada2025! Canada2026! Blowjob1 Blowjob1! Blowjob12 Blowjob123 Blowjob123!
        Blowjob1234 Blowjob@123 Blowjob#1 Blowjob2023 Blowjob2024 Blowjob2025 Blowjob2026 Blowjob2025! Blowjob2026!
        Muffin1! Muffin12 Muffin123 Muffin123! Muffin1234 Muffin@123 Muffin#1 Muffin2023 Muffin2024 Muffin2025
        Muffin2026 Muffin2025! Muffin2026! Liverpoo1 Liverpoo1! Liverpoo12 Liverpoo123 Liverpoo123! Liverpoo1234
        Liverpoo@123 Liverpoo#1 Liverpoo2023 Liverpoo2024 Liverpoo2025 Liverpoo2026 Liverpoo2025! Liverpoo2026! Apples1!
        Apples12 Apples123 Apples123! Apples1234 Apples@123 Apples#1 Apples2023 Apples2024 Apples2025 Apples2026
        Apples2025! Apples2026! Pokemon1 Pokemon1! Pokemon12 Pokemon123 Pokemon123! Pokemon1234 Pokemon@123 Pokemon#1
        Pokemon2023 Pokemon2024 Pokemon2025 Pokemon2026 Pokemon2025! Pokemon2026! Slipknot1 Slipknot1! Slipknot12
        Slipknot123 Slipknot123! Slipknot1234 Slipknot@123 Slipknot#1 Slipknot2023 Slipknot2024 Slipknot2025
        Slipknot2026 Slipknot2025! Slipknot2026! Qazxsw1! Qazxsw12 Qazxsw123 Qazxsw123! Qazxsw1234 Qazxsw@123 Qazxsw#1
        Qazxsw2023 Qazxsw2024 Qazxsw2025 Qazxsw2026 Qazxsw2025! Qazxsw2026! Scorpion1 Scorpion1! Scorpion12 Scorpion123
        Scorpion123! Scorpion1234 Scorpion@123 Scorpion#1 Scorpion2023 Scorpion2024 Scorpion2025 Scorpion2026
        Scorpion2025! Scorpion2026! Qwaszx1! Qwaszx12 Qwaszx123 Qwaszx123! Qwaszx1234 Qwaszx@123 Qwaszx#1 Qwaszx2023
        Qwaszx2024 Qwaszx2025 Qwaszx2026 Qwaszx2025! Qwaszx2026! Butter1! Butter12 Butter123 Butter123! Butter1234
        Butter@123 Butter#1 Butter2023 Butter2024 Butter2025 Butter2026 Butter2025! Butter2026! Startrek1 Startrek1!
        Startrek12 Startrek123 Startrek123! Startrek1234 Startrek@123 Startrek#1 Startrek2023 Startrek2024 Startrek2025
        Startrek2026 Startrek2025! Startrek2026! Rainbow1 Rainbow1! Rainbow12 Rainbow123 Rainbow123! Rainbow1234
        Rainbow@123 Rainbow#1 Rainbow2023 Rainbow2024 Rainbow2025 Rainbow2026 Rainbow2025! Rainbow2026! Asdfghjkl1!
        Asdfghjkl12 Asdfghjkl123 Asdfghjkl123! Asdfghjkl1234 Asdfghjkl@123 Asdfghjkl#1 Asdfghjkl2023 Asdfghjkl2024
        Asdfghjkl2025 Asdfghjkl2026 Asdfghjkl2025! Asdfghjkl2026! Razz123! Razz1234 Razz@123 Razz2023 Razz2024 Razz2025
        Razz2026 Razz2025! Razz2026! Newyork1 Newyork1! Newyork12 Newyork123 Newyork123! Newyork1234 Newyork@123
        Newyork#1 Newyork2023 Newyork2024 Newyork2025 Newyork2026 Newyork2025! Newyork2026! Redskins1 Redskins1!
        Redskins12 Redskins123 Redskins123! Redskins1234 Redskins@123 Redskins#1 Redskins2023 Redskins2024 Redskins2025
        Redskins2026 Redskins2025! Redskins2026! Gemini1! Gemini12 Gemini123 Gemini123! Gemini1234 Gemini@123 Gemini#1
        Gemini2023 Gemini2024 Gemini2025 Gemini2026 Gemini2025! Gemini2026! Cameron1 Cameron1! Cameron12 Cameron123
        Cameron123! Cameron1234 Cameron@123 Cameron#1 Cameron2023 Cameron2024 Cameron2025 Cameron2026 Cameron2025!
        Cameron2026! Qazwsxedc1 Qazwsxedc1! Qazwsxedc12 Qazwsxedc123 Qazwsxedc123! Qazwsxedc1234 Qazwsxedc@123
        Qazwsxedc#1 Qazwsxedc2023 Qazwsxedc2024 Qazwsxedc2025 Qazwsxedc2026 Qazwsxedc2025! Qazwsxedc2026! Florida1
        Florida1! Florida12 Florida123 Florida123! Florida1234 Florida@123 Florida#1 Florida2023 Florida2024 Florida2025
        Florida2026 Florida2025! Florida2026! Liverpool1 Liverpool1! Liverpool12 Liverpool123 Liverpool123!
        Liverpool1234 Liverpool@123 Liverpool#1 Liverpool2023 Liverpool2024 Liverpool2025 Liverpool2026 Liverpool2025!
        Liverpool2026! Turtle1! Turtle12 Turtle123 Turtle123! Turtle1234 Turtle@123 Turtle#1 Turtle2023 Turtle2024
        Turtle2025 Turtle2026 Turtle2025! Turtle2026! Sierra1! Sierra12 Sierra123 Sierra123! Sierra1234 Sierra@123
        Sierra#1 Sierra2023 Sierra2024 Sierra2025 Sierra2026 Sierra2025! Sierra2026! Viking1! Viking12 Viking123
        Viking123! Viking1234 Viking@123 Viking#1 Viking2023 Viking2024 Viking2025 Viking2026 Viking2025! Viking2026!
        Booger1! Booger12 Booger123 Booger123! Booger1234 Booger@123 Booger#1 Booger2023 Booger2024 Booger2025
        Booger2026 Booger2025! Booger2026! Butthead1 Butthead1! Butthead12 Butthead123 Butthead123! Butthead1234
        Butthead@123 Butthead#1 Butthead2023 Butthead2024 Butthead2025 Butthead2026 Butthead2025! Butthead2026! Doctor1!
        Doctor12 Doctor123 Doctor123! Doctor1234 Doctor@123 Doctor#1 Doctor2023 Doctor2024 Doctor2025 Doctor2026
        Doctor2025! Doctor2026! Rocket1! Rocket12 Rocket123 Rocket123! Rocket1234 Rocket@123 Rocket#1 Rocket2023
        Rocket2024 Rocket2025 Rocket2026 Rocket2025! Rocket2026! Dolphins1 Dolphins1! Dolphins12 Dolphins123
        Dolphins123! Dolphins1234 Dolphins@123 Dolphins#1 Dolphins2023 Dolphins2024 Dolphins2025 Dolphins2026
        Dolphins2025! Dolphins2026! Captain1 Captain1! Captain12 Captain123 Captain123! Captain1234 Captain@123
        Captain#1 Captain2023 Captain2024 Captain2025 Captain2026 Captain2025! Captain2026! Bandit1! Bandit12 Bandit123
        Bandit123! Bandit1234 Bandit@123 Bandit#1 Bandit2023 Bandit2024 Bandit2025 Bandit2026 Bandit2025! Bandit2026!
        Jaguar1! Jaguar12 Jaguar123 Jaguar123! Jaguar1234 Jaguar@123 Jaguar#1 Jaguar2023 Jaguar2024 Jaguar2025
        Jaguar2026 Jaguar2025! Jaguar2026! Packers1 Packers1! Packers12 Packers123 Packers123! Packers1234 Packers@123
        Packers#1 Packers2023 Packers2024 Packers2025 Packers2026 Packers2025! Packers2026! Pookie1! Pookie12 Pookie123
        Pookie123! Pookie1234 Pookie@123 Pookie#1 Pookie2023 Pookie2024 Pookie2025 Pookie2026 Pookie2025! Pookie2026!
        Peaches1 Peaches1! Peaches12 Peaches123 Peaches123! Peaches1234 Peaches@123 Peaches#1 Peaches2023 Peaches2024
        Peaches2025 Peaches2026 Peaches2025! Peaches2026! Asdf123! Asdf@123 Asdf2023 Asdf2024 Asdf2025 Asdf2026
        Asdf2025! Asdf2026! Dolphin1 Dolphin1! Dolphin12 Dolphin123 Dolphin123! Dolphin1234 Dolphin@123 Dolphin#1
        Dolphin2023 Dolphin2024 Dolphin2025 Dolphin2026 Dolphin2025! Dolphin2026! Helpme1! Helpme12 Helpme123 Helpme123!
        Helpme1234 Helpme@123 Helpme#1 Helpme2023 Helpme2024 Helpme2025 Helpme2026 Helpme2025! Helpme2026! Blue123!
        Blue1234 Blue@123 Blue2023 Blue2024 Blue2025 Blue2026 Blue2025! Blue2026! Theman1! Theman12 Theman123 Theman123!
        Theman1234 Theman@123 Theman#1 Theman2023 Theman2024 Theman2025 Theman2026 Theman2025! Theman2026! Maxwell1
        Maxwell1! Maxwell12 Maxwell123 Maxwell123! Maxwell1234 Maxwell@123 Maxwell#1 Maxwell2023 Maxwell2024 Maxwell2025
        Maxwell2026 Maxwell2025! Maxwell2026! Qwertyui1 Qwertyui1! Qwertyui12 Qwertyui123 Qwertyui123! Qwertyui1234
        Qwertyui@123 Qwertyui#1 Qwertyui2023 Qwertyui2024 Qwertyui2025 Qwertyui2026 Qwertyui2025! Qwertyui2026!
        Shithead1 Shithead1! Shithead12 Shithead123 Shithead123! Shithead1234 Shithead@123 Shithead#1 Shithead2023
        Shithead2024 Shithead2025 Shithead2026 Shithead2025! Shithead2026! Lovers1! Lovers12 Lovers123 Lovers123!
        Lovers1234 Lovers@123 Lovers#1 Lovers2023 Lovers2024 Lovers2025 Lovers2026 Lovers2025! Lovers2026! Maddog1!
        Maddog12 Maddog123 Maddog123! Maddog1234 Maddog@123 Maddog#1 Maddog2023 Maddog2024 Maddog2025 Maddog2026
        Maddog2025! Maddog2026! Giants1! Giants12 Giants123 Giants123! Giants1234 Giants@123 Giants#1 Giants2023
        Giants2024 Giants2025 Giants2026 Giants2025! Giants2026! Nirvana1 Nirvana1! Nirvana12 Nirvana123 Nirvana123!
        Nirvana1234 Nirvana@123 Nirvana#1 Nirvana2023 Nirvana2024 Nirvana2025 Nirvana2026 Nirvana2025! Nirvana2026!
        Metallic1 Metallic1! Metallic12 Metallic123 Metallic123! Metallic1234 Metallic@123 Metallic#1 Metallic2023
        Metallic2024 Metallic2025 Metallic2026 Metallic2025! Metallic2026! Hotdog1! Hotdog12 Hotdog123 Hotdog123!
        Hotdog1234 Hotdog@123 Hotdog#1 Hotdog2023 Hotdog2024 Hotdog2025 Hotdog2026 Hotdog2025! Hotdog2026! Rosebud1
        Rosebud1! Rosebud12 Rosebud123 Rosebud123! Rosebud1234 Rosebud@123 Rosebud#1 Rosebud2023 Rosebud2024 Rosebud2025
        Rosebud2026 Rosebud2025! Rosebud2026! Mountain1 Mountain1! Mountain12 Mountain123 Mountain123! Mountain1234
        Mountain@123 Mountain#1 Mountain2023 Mountain2024 Mountain2025 Mountain2026 Mountain2025! Mountain2026! Warrior1
        Warrior1! Warrior12 Warrior123 Warrior123! Warrior1234 Warrior@123 Warrior#1 Warrior2023 Warrior2024 Warrior2025
        Warrior2026 Warrior2025! Warrior2026! Stupid1! Stupid12 Stupid123 Stupid123! Stupid1234 Stupid@123 Stupid#1
        Stupid2023 Stupid2024 Stupid2025 Stupid2026 Stupid2025! Stupid2026! Elephant1 Elephant1! Elephant12 Elephant123
        Elephant123! Elephant1234 Elephant@123 Elephant#1 Elephant2023 Elephant2024 Elephant2025 Elephant2026
        Elephant2025! Elephant2026! Suckit1! Suckit12 Suckit123 Suckit123! Suckit1234 Suckit@123 Suckit#1 Suckit2023
        Suckit2024 Suckit2025 Suckit2026 Suckit2025! Suckit2026! Success1 Success1! Success12 Success123 Success123!
        Success1234 Success@123 Success#1 Success2023 Success2024 Success2025 Success2026 Success2025! Success2026!
        Jackass1 Jackass1! Jackass12 Jackass123 Jackass123! Jackass1234 Jackass@123 Jackass#1 Jackass2023 Jackass2024
        Jackass2025 Jackass2026 Jackass2025! Jackass2026! Alexis1! Alexis12 Alexis123 Alexis123! Alexis1234 Alexis@123
        Alexis#1 Alexis2023 Alexis2024 Alexis2025 Alexis2026 Alexis2025! Alexis2026! Porn123! Porn1234 Porn@123 Porn2023
        Porn2024 Porn2025 Porn2026 Porn2025! Porn2026! Lucky123 Lucky123! Lucky1234 Lucky@123 Lucky2023 Lucky2024
        Lucky2025 Lucky2026 Lucky2025! Lucky2026! Scorpio1 Scorpio1! Scorpio12 Scorpio123 Scorpio123! Scorpio1234
        Scorpio@123 Scorpio#1 Scorpio2023 Scorpio2024 Scorpio2025 Scorpio2026 Scorpio2025! Scorpio2026! Samson1!
        Samson12 Samson123 Samson123! Samson1234 Samson@123 Samson#1 Samson2023 Samson2024 Samson2025 Samson2026
        Samson2025! Samson2026! Azerty1! Azerty12 Azerty123 Azerty123! Azerty1234 Azerty@123 Azerty#1 Azerty2023
        Azerty2024 Azerty2025 Azerty2026 Azerty2025! Azerty2026! Driver1! Driver12 Driver123 Driver123! Driver1234
        Driver@123 Driver#1 Driver2023 Driver2024 Driver2025 Driver2026 Driver2025! Driver2026! Freddy1! Freddy12
        Freddy123 Freddy123! Freddy1234 Freddy@123 Freddy#1 Freddy2023 Freddy2024 Freddy2025 Freddy2026 Freddy2025!
        Freddy2026! Sydney1! Sydney12 Sydney123 Sydney123! Sydney1234 Sydney@123 Sydney#1 Sydney2023 Sydney2024
        Sydney2025 Sydney2026 Sydney2025! Sydney2026! Gators1! Gators12 Gators123 Gators123! Gators1234 Gators@123
        Gators#1 Gators2023 Gators2024 Gators2025 Gators2026 Gators2025! Gators2026! Dexter1! Dexter12 Dexter123
        Dexter123! Dexter1234 Dexter@123 Dexter#1 Dexter2023 Dexter2024 Dexter2025 Dexter2026 Dexter2025! Dexter2026!
        Bubba123 Bubba123! Bubba1234 Bubba@123 Bubba2023 Bubba2024 Bubba2025 Bubba2026 Bubba2025! Bubba2026! Creative1
        Creative1! Creative12 Creative123 Creative123! Creative1234 Creative@123 Creative#1 Creative2023 Creative2024
        Creative2025 Creative2026 Creative2025! Creative2026! Voodoo1! Voodoo12 Voodoo123 Voodoo123! Voodoo1234
        Voodoo@123 Voodoo#1 Voodoo2023 Voodoo2024 Voodoo2025 Voodoo2026 Voodoo2025! Voodoo2026! Golf123! Golf1234
        Golf@123 Golf2023 Golf2024 Golf2025 Golf2026 Golf2025! Golf2026! Trouble1 Trouble1! Trouble12 Trouble123
        Trouble123! Trouble1234 Trouble@123 Trouble#1 Trouble2023 Trouble2024 Trouble2025 Trouble2026 Trouble2025!
        Trouble2026! America1 America1! America12 America123 America123! America1234 America@123 America#1 America2023
        America2024 America2025 America2026 America2025! America2026! Nissan1! Nissan12 Nissan123 Nissan123! Nissan1234
        Nissan@123 Nissan#1 Nissan2023 Nissan2024 Nissan2025 Nissan2026 Nissan2025! Nissan2026! Gunner1! Gunner12
        Gunner123 Gunner123! Gunner1234 Gunner@123 Gunner#1 Gunner2023 Gunner2024 Gunner2025 Gunner2026 Gunner2025!
        Gunner2026! Garfield1 Garfield1! Garfield12 Garfield123 Garfield123! Garfield1234 Garfield@123 Garfield#1
        Garfield2023 Garfield2024 Garfield2025 Garfield2026 Garfield2025! Garfield2026! Bullshit1 Bullshit1! Bullshit12
        Bullshit123 Bullshit123! Bullshit1234 Bullshit@123 Bullshit#1 Bullshit2023 Bullshit2024 Bullshit2025
        Bullshit2026 Bullshit2025! Bullshit2026! Asdfghjk1 Asdfghjk1! Asdfghjk12 Asdfghjk123 Asdfghjk123! Asdfghjk1234
        Asdfghjk@123 Asdfghjk#1 Asdfghjk2023 Asdfghjk2024 Asdfghjk2025 Asdfghjk2026 Asdfghjk2025! Asdfghjk2026! Fucking1
        Fucking1! Fucking12 Fucking123 Fucking123! Fucking1234 Fucking@123 Fucking#1 Fucking2023 Fucking2024 Fucking2025
        Fucking2026 Fucking2025! Fucking2026! Apollo1! Apollo12 Apollo123 Apollo123! Apollo1234 Apollo@123 Apollo#1
        Apollo2023 Apollo2024 Apollo2025 Apollo2026 Apollo2025! Apollo2026! Eminem1! Eminem12 Eminem123 Eminem123!
        Eminem1234 Eminem@123 Eminem#1 Eminem2023 Eminem2024 Eminem2025 Eminem2026 Eminem2025! Eminem2026! Legend1!
        Legend12 Legend123 Legend123! Legend1234 Legend@123 Legend#1 Legend2023 Legend2024 Legend2025 Legend2026
        Legend2025! Legend2026! Airborne1 Airborne1! Airborne12 Airborne123 Airborne123! Airborne1234 Airborne@123
        Airborne#1 Airborne2023 Airborne2024 Airborne2025 Airborne2026 Airborne2025! Airborne2026! Bear123! Bear1234
        Bear@123 Bear2023 Bear2024 Bear2025 Bear2026 Bear2025! Bear2026! Beavis1! Beavis12 Beavis123 Beavis123!
        Beavis1234 Beavis@123 Beavis#1 Beavis2023 Beavis2024 Beavis2025 Beavis2026 Beavis2025! Beavis2026! Apple123
        Apple123! Apple1234 Apple@123 Apple2023 Apple2024 Apple2025 Apple2026 Apple2025! Apple2026! Brooklyn1 Brooklyn1!
        Brooklyn12 Brooklyn123 Brooklyn123! Brooklyn1234 Brooklyn@123 Brooklyn#1 Brooklyn2023 Brooklyn2024 Brooklyn2025
        Brooklyn2026 Brooklyn2025! Brooklyn2026! Godzilla1 Godzilla1! Godzilla12 Godzilla123 Godzilla123! Godzilla1234
        Godzilla@123 Godzilla#1 Godzilla2023 Godzilla2024 Godzilla2025 Godzilla2026 Godzilla2025! Godzilla2026! Skippy1!
        Skippy12 Skippy123 Skippy123! Skippy1234 Skippy@123 Skippy#1 Skippy2023 Skippy2024 Skippy2025 Skippy2026
        Skippy2025! Skippy2026! Buddy123 Buddy123! Buddy1234 Buddy@123 Buddy2023 Buddy2024 Buddy2025 Buddy2026
        Buddy2025! Buddy2026! Qwert123 Qwert123! Qwert1234 Qwert@123 Qwert2023 Qwert2024 Qwert2025 Qwert2026 Qwert2025!
        Qwert2026! Kitten1! Kitten12 Kitten123 Kitten123! Kitten1234 Kitten@123 Kitten#1 Kitten2023 Kitten2024
        Kitten2025 Kitten2026 Kitten2025! Kitten2026! Magic123 Magic123! Magic1234 Magic@123 Magic2023 Magic2024
        Magic2025 Magic2026 Magic2025! Magic2026! Shelby1! Shelby12 Shelby123 Shelby123! Shelby1234 Shelby@123 Shelby#1
        Shelby2023 Shelby2024 Shelby2025 Shelby2026 Shelby2025! Shelby2026! Beaver1! Beaver12 Beaver123 Beaver123!
        Beaver1234 Beaver@123 Beaver#1 Beaver2023 Beaver2024 Beaver2025 Beaver2026 Beaver2025! Beaver2026! Phantom1
        Phantom1! Phantom12 Phantom123 Phantom123! Phantom1234 Phantom@123 Phantom#1 Phantom2023 Phantom2024 Phantom2025
        Phantom2026 Phantom2025! Phantom2026! Asdasd1! Asdasd12 Asdasd123 Asdasd123! Asdasd1234 Asdasd@123 Asdasd#1
        Asdasd2023 Asdasd2024 Asdasd2025 Asdasd2026 Asdasd2025! Asdasd2026! Xavier1! Xavier12 Xavier123 Xavier123!
        Xavier1234 Xavier@123 Xavier#1 Xavier2023 Xavier2024 Xavier2025 Xavier2026 Xavier2025! Xavier2026! Braves1!
        Braves12 Braves123 Braves123! Braves1234 Braves@123 Braves#1 Braves2023 Braves2024 Braves2025 Braves2026
        Braves2025! Braves2026! Darkness1 Darkness1! Darkness12 Darkness123 Darkness123! Darkness1234 Darkness@123
        Darkness#1 Darkness2023 Darkness2024 Darkness2025 Darkness2026 Darkness2025! Darkness2026! Copper1! Copper12
        Copper123 Copper123! Copper1234 Copper@123 Copper#1 Copper2023 Copper2024 Copper2025 Copper2026 Copper2025!
        Copper2026! Platinum1 Platinum1! Platinum12 Platinum123 Platinum123! Platinum1234 Platinum@123 Platinum#1
        Platinum2023 Platinum2024 Platinum2025 Platinum2026 Platinum2025! Platinum2026! Qweqwe1! Qweqwe12 Qweqwe123
        Qweqwe123! Qweqwe1234 Qweqwe@123 Qweqwe#1 Qweqwe2023 Qweqwe2024 Qweqwe2025 Qweqwe2026 Qweqwe2025! Qweqwe2026!
        Tomcat1! Tomcat12 Tomcat123 Tomcat123! Tomcat1234 Tomcat@123 Tomcat#1 Tomcat2023 Tomcat2024 Tomcat2025
        Tomcat2026 Tomcat2025! Tomcat2026! Girls123 Girls123! Girls1234 Girls@123 Girls2023 Girls2024 Girls2025
        Girls2026 Girls2025! Girls2026! Bigboy1! Bigboy12 Bigboy123 Bigboy123! Bigboy1234 Bigboy@123 Bigboy#1 Bigboy2023
        Bigboy2024 Bigboy2025 Bigboy2026 Bigboy2025! Bigboy2026! Animal1! Animal12 Animal123 Animal123! Animal1234
        Animal@123 Animal#1 Animal2023 Animal2024 Animal2025 Animal2026 Animal2025! Animal2026! Police1! Police12
        Police123 Police123! Police1234 Police@123 Police#1 Police2023 Police2024 Police2025 Police2026 Police2025!
        Police2026! Online1! Online12 Online123 Online123! Online1234 Online@123 Online#1 Online2023 Online2024
        Online2025 Online2026 Online2025! Online2026! Voyager1 Voyager1! Voyager12 Voyager123 Voyager123! Voyager1234
        Voyager@123 Voyager#1 Voyager2023 Voyager2024 Voyager2025 Voyager2026 Voyager2025! Voyager2026! Lifehack1
        Lifehack1! Lifehack12 Lifehack123 Lifehack123! Lifehack1234 Lifehack@123 Lifehack#1 Lifehack2023 Lifehack2024
        Lifehack2025 Lifehack2026 Lifehack2025! Lifehack2026! Fish123! Fish1234 Fish@123 Fish2023 Fish2024 Fish2025
        Fish2026 Fish2025! Fish2026! Sniper1! Sniper12 Sniper123 Sniper123! Sniper1234 Sniper@123 Sniper#1 Sniper2023
        Sniper2024 Sniper2025 Sniper2026 Sniper2025! Sniper2026! Trinity1 Trinity1! Trinity12 Trinity123 Trinity123!
        Trinity1234 Trinity@123 Trinity#1 Trinity2023 Trinity2024 Trinity2025 Trinity2026 Trinity2025! Trinity2026!
        Blazer1! Blazer12 Blazer123 Blazer123! Blazer1234 Blazer@123 Blazer#1 Blazer2023 Blazer2024 Blazer2025
        Blazer2026 Blazer2025! Blazer2026! Heaven1! Heaven12 Heaven123 Heaven123! Heaven1234 Heaven@123 Heaven#1
        Heaven2023 Heaven2024 Heaven2025 Heaven2026 Heaven2025! Heaven2026! Lover123 Lover123! Lover1234 Lover@123
        Lover2023 Lover2024 Lover2025 Lover2026 Lover2025! Lover2026! Snowball1 Snowball1! Snowball12 Snowball123
        Snowball123! Snowball1234 Snowball@123 Snowball#1 Snowball2023 Snowball2024 Snowball2025 Snowball2026
        Snowball2025! Snowball2026! Playboy1 Playboy1! Playboy12 Playboy123 Playboy123! Playboy1234 Playboy@123
        Playboy#1 Playboy2023 Playboy2024 Playboy2025 Playboy2026 Playboy2025! Playboy2026! Loveme1! Loveme12 Loveme123
        Loveme123! Loveme1234 Loveme@123 Loveme#1 Loveme2023 Loveme2024 Loveme2025 Loveme2026 Loveme2025! Loveme2026!
        Bubbles1 Bubbles1! Bubbles12 Bubbles123 Bubbles123! Bubbles1234 Bubbles@123 Bubbles#1 Bubbles2023 Bubbles2024
        Bubbles2025 Bubbles2026 Bubbles2025! Bubbles2026!
        """
}
