"""Lines of `planted.py` for the task `facts`: what lasts of a speaker, what passes, opinions worth keeping."""

# something lasting about the speaker, with the slots in it
FACTS = """
I live in <home {city}>.
I live near <home {city}>.
I moved to <home {city}> {n} years ago.
I just moved to <home {city}>.
We moved to <home {city}> last year.
I'm living in <home {city}> now.
I've lived in <home {city}> for {n} years.
I've been living in <home {city}> since I was a kid.
My apartment is in <home {city}>.
We bought a house in <home {city}>.
I'm based in <home {city}>.
Our home is in <home {city}>.
I relocated to <home {city}> for work.
I stay in <home {city}> with my parents.
My address is in <home {city}>.
I live with my family in <home {city}>.
I currently live in <home {city}>, but I'm from Ohio.
I left Texas and moved to <home {city}>.
Yeah, I'm in <home {city}> these days.
We settled down in <home {city}>.
I work as a <work {job}>.
I'm a <work {job}>.
I am a <work {job}> at <employer {firm}>.
I work at <employer {firm}>.
I work for <employer {firm}>.
I got a job at <employer {firm}>.
I just started a new job as a <work {job}>.
I started working at <employer {firm}> {when}.
I've been a <work {job}> for {n} years.
I've been working for <employer {firm}> since March.
My job is at <employer {firm}>.
I make a living as a <work {job}>.
My current job is <work {job}>.
I'm employed by <employer {firm}>.
I was promoted to <work {job}>.
I teach, I mean I'm a <work {job}> by profession.
I do shifts at <employer {firm}>.
I'm working part time as a <work {job}>.
They hired me as a <work {job}>.
I quit and now I work at <employer {firm}>.
I'm <age {age}> years old.
I am <age {age}>.
I just turned <age {age}>.
I turned <age {age}> last month.
I'm <age {age}> and still in school.
I'll admit it, I'm <age {age}>.
My age is <age {age}>.
I'm already <age {age}>.
As of last week I'm <age {age}> years old.
I'm a <age {age}> year old student.
My phone number is <phone {phone}>.
My number is <phone {phone}>.
You can call me at <phone {phone}>.
Text me at <phone {phone}>.
My new number is <phone {phone}>.
My cell is <phone {phone}>.
Reach me on <phone {phone}>.
I got a new phone number, it's <phone {phone}>.
You can reach me at <phone {phone}>.
My {spouse} is called <partner {name}>.
My {spouse} <partner {name}> works a lot.
My {spouse}'s name is <partner {name}>.
I'm married to <partner {name}>.
I'm dating <partner {name}>.
I've been with <partner {name}> for {n} years.
<partner {name}> and I got married.
<partner {name}> is my {spouse}.
I live with my {spouse}, <partner {name}>.
I'm engaged to <partner {name}>.
My {spouse} <partner {name}> and I met in college.
<partner {name}> and I have been together since high school.
I got engaged to <partner {name}> {when}.
I have {kids}.
I've got {kids}.
I'm allergic to {food_n}.
I have {ill}.
I was diagnosed with {ill}.
I'm vegetarian.
I'm vegan.
I don't eat meat.
I don't drink alcohol.
I don't drink coffee.
I quit smoking {n} years ago.
I grew up in {city}.
I'm originally from {city}.
I was born in {city}.
I come from a big family.
I study {subject}.
I'm majoring in {subject}.
I'm studying {subject} at the university.
I graduated with a degree in {subject}.
I went to college for {subject}.
My major is {subject}.
I'm getting my masters in {subject}.
I'm a freshman.
I'm a junior in college.
I play the {instrument}.
I've played the {instrument} since I was {n}.
I'm learning {lang}.
I speak {lang} and English.
My first language is {lang}.
I can speak some {lang}.
My {kin} is a {job}.
My {kin} lives in {city}.
My {kin}'s name is {name}.
My {kin} passed away {n} years ago.
I'm the oldest of {n} kids.
I'm an only child.
I'm married.
I'm single.
I'm divorced.
My parents are divorced.
We've been married for {n} years.
My {spouse} and I have {kids}.
My birthday is in May.
I'm Catholic.
I'm a member of the church.
I go to church every Sunday.
I served a mission in {city}.
I love {activity}.
I really enjoy {activity}.
I've been {activity_plain} for {n} years.
My favorite food is {food}.
My favorite hobby is {activity}.
My favorite movie is {media}.
My favorite color is green.
I hate {activity}.
I can't stand {food}.
I never eat {food}.
I'm scared of {animal}.
I'm afraid of heights.
I want to become a {job}.
I want to be a {job} someday.
My dream is to travel the world.
I hope to move to {city} someday.
I play soccer every weekend.
I run every morning before work.
I go hiking with my kids on weekends.
I volunteer at an animal shelter.
I used to be a {job}.
I used to live in {city}.
I own a small business.
I drive an old truck.
I have a degree in {subject}.
I'm left handed.
I'm a night owl.
I'm really shy around new people.
I'm an introvert.
I've never been to Europe.
I've been to {city} {n} times.
I collect stamps.
I write poetry in my free time.
My family is from {city}.
I was in the army for {n} years.
I coach my son's team.
I wear glasses.
I broke my leg when I was a kid.
I sing in a choir.
I'm from {city}.
I share a flat with {n} people.
I believe in God.
I prefer {food} to tea.
I'm addicted to {food}.
I'm retired.
I stay at home with my kids.
I have a twin brother.
I make my own clothes.
Living in <home {city}> has been good for us.
<home {city}> has been my home since I finished school.
We ended up in <home {city}> because rent was cheaper.
I'm in <home {city}> now, my folks are still in {city}.
My {spouse} got a job in <home {city}>, so we live there now.
I rent a small place in <home {city}> with a friend.
Life in <home {city}> suits me better than {city} ever did.
We've got a little house in <home {city}> with a garden.
I came to <home {city}> for college and never left.
After the divorce I moved back to <home {city}>.
I was in {city} until last fall, now I'm in <home {city}>.
Yeah, we live out in <home {city}>, about an hour from the airport.
I teach at a school, but on weekends I'm a <work {job}>.
I've been working as a <work {job}> at <employer {firm}> since the spring.
Being a <work {job}> is hard work but I like helping people.
My day job is <work {job}>, it pays the bills.
I finally got hired at <employer {firm}>!
I switched from {firm} to <employer {firm}> last year.
I'm a <work {job}> now, I used to be a {job}.
I run the front desk at <employer {firm}>.
As a <work {job}> I see that every single day.
I drive out to <employer {firm}> every morning at six, that's where I work.
They offered me a position at <employer {firm}> and I took it.
I do night shifts as a <work {job}>.
I went back to work as a <work {job}> after the kids started school.
I'm <age {age}> now and I still feel like a kid.
At <age {age}> I'm the oldest in my class.
I'll be honest, being <age {age}> feels strange.
I'm <age {age}>, my {kin} is {age}.
I turned <age {age}> in June.
Next to them I feel old, I'm <age {age}> already.
You can text me, it's <phone {phone}>.
I changed carriers, so now it's <phone {phone}>, that's my new number.
My {spouse}, <partner {name}>, and I have been married for {n} years.
<partner {name}> proposed to me last summer and I said yes.
I met <partner {name}> at work and we've been together ever since.
My boyfriend <partner {name}> and I just adopted a kitten.
<partner {name}> and I are getting married in the fall.
I've been seeing <partner {name}> for {n} months now, he's my boyfriend.
My girlfriend <partner {name}> is a {job}.
I live with my partner <partner {name}> and our {kids}.
I've been {activity_plain} since I was a kid and it keeps me sane.
{activity} is my thing, I do it every weekend.
I started {activity_plain} after my {kin} passed away, and it helped me a lot.
I'm training for my first marathon this year.
I run a small bakery with my {kin}.
My {kin} and I opened a coffee shop last year.
I've wanted to open my own studio for years and I'm saving up for it.
I'm saving for a house.
I'm taking a class in {subject} at the community college.
I've been taking {instrument} lessons for {n} months.
I dropped out of college in my second year.
I'm the first in my family to go to college.
I grew up on a farm with {kids}.
I grew up without a father, my grandma raised me.
My parents came here from {city} before I was born.
My {kin} is my best friend, we talk every day.
I lost my {kin} to cancer {n} years ago.
I lost my job in the spring and I've been looking for a new one since.
I adopted {kids} last year.
We adopted a puppy, his name is {name}.
My dog {name} is {n} years old.
I have {kids} and they keep me busy.
I'm a single mom of {kids}.
I'm a stay at home dad.
I'm raising my {kin}'s kids.
We're expecting our first baby in May.
My daughter {name} just started school.
I volunteer at a shelter every Saturday.
I've been sober for {n} years.
I was diagnosed with {ill} when I was a teenager.
I've struggled with {ill} for most of my life.
I can't have dairy, it makes me sick.
I've been vegetarian for {n} years.
I'm allergic to {food_n}, so I never eat out.
I started a blog about {activity} last year.
I've written {n} short stories and I want to publish them.
I paint with watercolors, it helps me when I'm stressed.
I play bass in a band with my {kin}.
We play board games every Friday, it's a tradition in my family.
Every summer my family goes camping by the lake.
I collect old records, I have hundreds of them.
I restore old cars in my garage.
I own an old truck that I fixed up myself.
I've been to {city} and {city}, and I want to see Japan next.
I've always wanted to visit {city}.
I want to become a {job} because I like working with kids.
My goal is to finish my degree in {subject} next year.
I'm applying for a masters in {subject} this fall.
I decided to go back to school for {subject}.
I left my job at {firm} to start my own business.
I quit my job as a {job} and I'm happier now.
I hurt my knee {n} years ago and I can't run anymore.
I'm afraid of flying, so we always take the train.
I'm not good with crowds, they make me nervous.
I'm more of a morning person.
I don't own a TV.
I never learned how to swim.
I don't have any siblings.
I'm close to my {kin}, less so to my parents.
Family means everything to me.
I came out to my parents when I was nineteen.
My faith is important to me.
I served in the navy for {n} years.
I've been teaching kids to swim for {n} years.
My favorite book growing up was {media}.
I read before bed every night.
I can cook, my {kin} taught me.
I speak {lang} at home with my parents.
I gave up my place in {city} and moved to <home {city}>.
I left {city} and found a flat in <home {city}>.
We sold the house in {city} and bought one in <home {city}>.
I'm no longer in {city}, I live in <home {city}>.
I swapped {city} for <home {city}> {n} years ago.
After {n} years in {city} I moved to <home {city}>.
I moved from {city} to <home {city}>.
We left {city} behind, <home {city}> is home now.
I don't live in {city} anymore.
I left {city} when I was a kid.
I lived in {city} for {n} years.
I moved away from {city} last year.
I used to live in {city}.
I quit {firm} and started at <employer {firm}>.
I left {firm} and now I'm at <employer {firm}>.
I'm at <employer {firm}> now.
I'm with <employer {firm}> these days.
I moved from {firm} to <employer {firm}>.
I start at <employer {firm}> on Monday.
I no longer work at {firm}.
I worked at {firm} for {n} years.
I left {firm} last year.
I was a {job} before, now I'm a <work {job}>.
I stopped working as a {job}.
I trained as a {job} but never worked as one.
I split up with {name}, I'm with <partner {name}> now.
{name} and I broke up last year.
My old number was {phone}, now it's <phone {phone}>.
I don't use {phone} anymore.
I went to school in {city}.
I studied in {city} for {n} years.
I've visited {city} {n} times.
My {kin} moved to {city} last year.
My {kin} works at {firm}.
My {kin} is {age} now.
My {kin} {name} is my best friend.
My best friend {name} lives next door.
{name} has been my friend since school.
I'm {name}'s older {kin}.
I take care of my {kin}'s {age} year old son.
I volunteer at {firm} on weekends.
I learned to swim in {city}.
I buy everything at {firm}.
I want to move to {city} one day.
"""
HELD_FACTS = """
These days you'll find me in <home {city}>.
My {spouse} and I rent a place in <home {city}>.
I've called <home {city}> home for {n} years.
They made me a <work {job}>.
I earn my money as a <work {job}>.
I'm with <employer {firm}> now.
I'm going on <age {age}>.
I've reached the age of <age {age}>.
Best number for me is <phone {phone}>.
Give me a ring on <phone {phone}>.
<partner {name}>, that's my {spouse}.
My better half is <partner {name}>.
I suffer from {ill}.
I can't eat {food_n}.
We have {kids}.
My {kin} moved to {city} long ago.
I took up {activity} years ago and never stopped.
I was raised in {city}.
I hold a degree in {subject}.
I dream of becoming a {job}.
I've always been bad at sports.
I know a little {lang}.
"""
# nothing lasting about the speaker
PASSING = """
I'm tired.
I'm going to bed.
I'm on my way.
I'll be there in {n} minutes.
I just got home.
I'm eating lunch right now.
I had {food} for dinner.
I went to the store {when}.
I was at work all day.
I slept badly last night.
I'm so excited!
I'm bored.
I'm sorry about that.
I'm not sure.
I don't know what to say.
I think so.
I guess that's true.
I'm doing well, thanks.
I'm good, how about you?
I have to go now.
I need to finish my homework {when}.
I have a test {when}.
I have a meeting {when}.
I'm watching TV.
I missed the bus {when}.
I left my keys at home.
I'm at the gym.
I saw a funny video {when}.
I went to a party {when}.
I'm stuck in traffic.
I agree with you.
I'm glad to hear that.
I hope you feel better.
I'll call you {when}.
I can do that {when}.
I'm hungry.
I just woke up.
I lost {n} dollars {when}.
I forgot to reply.
I love you too.
I love that!
I like that idea.
I know, right?
I wish it would stop raining.
I would love to.
How old are you?
Where do you live?
Where are you from?
What do you do for work?
Do you have any pets?
Do you work at {firm}?
Are you married?
What is your favorite food?
What's your phone number?
Do you live in {city}?
Have you been to {city}?
Your phone number is wrong.
You should move to {city}.
You live in {city}, right?
He lives in {city}.
She is a {job}.
They have {kids}.
Your {kin} is a {job}?
He is {age} years old.
She is dating {name}.
{name} works at {firm}.
{name} moved to {city}.
{name} called me {when}.
I met {name} {when}.
I talked to {name} about it.
I told {name} to call the office.
Call the office at {phone}.
The number of the hotel is {phone}.
My friend told me about it.
My phone died {when}.
My train is late.
My class starts in {n} minutes.
My boss was out {when}.
It took me {age} minutes.
I bought {n} apples.
I read {n} pages {when}.
I drove through {city} {when}.
I'm visiting {city} {when}.
We had fun in {city} {when}.
I flew to {city} {when}.
I saw a {job} {when}.
I need a {job} to fix this.
The {job} came {when}.
That's great!
That sounds like fun.
The weather is nice {when}.
It's cold outside.
Good morning!
Nice to meet you.
Thanks so much!
Have a great day.
No problem.
What are you up to {when}?
Let's meet {when}.
Did you see the game {when}?
The game was great.
{place} is {good}.
{media} was {bad}.
If I lived in {city} I would go there.
I might move to {city}, not sure.
Imagine I was a {job}.
They say {city} is nice.
People in {city} are friendly.
There are {n} of them.
It costs {age} dollars.
We should talk about the remote control.
The meeting is at {n}.
I put it on the table.
I'll send you the file {when}.
I can hear you now.
I mean, it is what it is.
That's a {good} picture!
Love the colors in your photo.
The photo of {place} that you posted is {good}.
You look so happy in this picture.
What a {good} shot!
You will love {place}.
I hope you like {food}.
You did a {good} job with it.
Congrats on the new job, you earned it!
I'm glad that you enjoyed {event}.
I'm happy that {name} is doing well.
It sounds like you had a {good} time in {city}.
{food} sounds {good}.
That looks delicious.
I'm so proud of you.
I'm happy for you.
I'm here for you.
I believe in you.
I'll try.
I promise to be careful.
I'm excited to hear about {event}.
I'm looking forward to seeing you {when}.
I want to hear more about {event}.
I was hoping that you would say that.
I wanted to tell you something.
I can help you with that.
I'm afraid not.
I have to admit that you are right.
I'm really moved by your words.
I admire how you handled {event}.
I miss you.
I'm trying to remember where I put my keys.
I can't believe it.
I'm ready for {event}.
I finished the report {when}.
I have a lot to do {when}.
I'd like to thank everybody.
I learned a lot {when}.
My day was {good}.
I'm working on it.
I appreciate your help with {event}.
Enjoy {food}!
Have fun with {activity}!
I can't wait to see the photos from {city}.
{name} loves {food}.
{name} is scared of {animal}.
Your {kin} must love {activity}.
We had a {good} time {when}.
Dinner was {good} {when}.
I was just kidding.
I was thinking about that.
I heard about it {when}.
I was thinking about what you said, and I think you are right.
I took this picture {when}.
I felt so free standing up there with the wind in my face.
I really appreciate you saying that.
It made me think about how lucky we are.
I couldn't have done it without your help.
I'm grateful for days like this.
I was so nervous before it started {when}.
I was happy to see everyone {when}.
I can imagine how hard that was for you.
I know how you feel.
I'm curious, what made you choose that?
I get what you mean about {event}.
I'm really impressed with what you did.
It was a reminder for me to slow down.
I had a blast {when}.
I stayed up too late {when}.
I'm off to pick up my {kin}.
I'm meeting {name} for coffee {when}.
I just got back from the store.
I have some news for you!
I've been so busy lately.
I've had a rough week.
I haven't seen that one yet.
I'm still waiting to hear back from them.
I need to get some rest.
I'm about to head out.
I ran into {name} {when}.
My phone is about to die.
I spilled coffee on my shirt {when}.
I was late for work {when}.
I called in sick {when}.
I didn't know that about you.
I told you so.
I'm telling you, it works.
I swear I saw it.
I don't get it.
I'm not following you.
I bet that was fun.
I thought you were a {job}.
I thought {name} lived in {city}.
{name} said he lives in {city} now.
My friend works at {firm}.
My friend {name} moved to {city}.
My friend's {kin} is a {job}.
He told me that he's {age}.
She turned {age} and they had a big party.
{name} and {name} got married {when}.
{name} is dating my roommate.
The {job} at {firm} was nice to me {when}.
I talked to a {job} at {firm} {when}.
I was on the phone with {firm} for {age} minutes.
I applied the tip you gave me and it helped.
I'm sending you a picture of it.
I found it on the way home {when}.
I keep forgetting to bring it.
I guess I'll see.
I'll let you know how it goes.
I'll think about it.
I'll take a look {when}.
I hope we can catch up soon.
I hope it all works out for you.
I'd be happy to help.
I'd love to hear about it.
I want you to know that I care.
I'm glad we talked.
I love how you put it.
I love the way you see the world.
I like how it turned out.
I think it's great that you do that.
I think {name} will be fine.
I think we should wait until {when}.
I feel better already.
I feel like nobody was listening {when}.
I feel that too sometimes.
I was surprised by how many people came {when}.
I made {food} {when} and it came out fine.
I watched {media} {when}.
I read something about it {when}.
I went {activity_plain} {when}.
We went {activity_plain} {when} and it rained.
I tried {food} for the first time {when}.
We stopped in {city} on the way {when}.
We stayed in a hotel in {city} for {n} nights.
My flight to {city} was delayed.
I'm in {city} for a conference until {when}.
I paid {age} dollars for it.
I waited {n} hours for the {job}.
I counted {age} of them.
There were {age} people in front of me.
Page {age} has the answer.
I'm off to {city} {when}.
We're flying to {city} in June.
I'm spending {n} days in {city}.
We want to see {city} and {city} this summer.
I just got back from {city}.
I'm stuck in {city} until tomorrow.
{name} is getting married {when}.
I was at {name}'s wedding {when}.
I have to buy a present for {name}.
{name} and I had lunch {when}.
I can't stand working with {name}.
I met {name}'s {spouse} {when}.
{name}'s {spouse} is so nice.
I'm helping {name} with a project for {firm}.
I have an appointment at {firm} {when}.
I helped paint {firm} last year.
I waited at {firm} for {n} hours.
I'm meeting a {job} {when}.
I talked to a {job} about it {when}.
The {job} told me to wait.
I slept {n} hours.
I practiced with a small group after class.
We joined the local team for a season.
"""
HELD_PASSING = """
I grabbed {food} on the way.
I'm waiting for the bus.
I'm running late.
I've got to run.
{name} turned {age} {when}.
Is {name} your {spouse}?
{name} got hired at {firm}.
We passed {city} on the road.
I need {n} more minutes.
I'm feeling great {when}.
"""

# opinions worth keeping: what is felt about is marked
KEPT = """
I {love} <k {X}>.
I {hate} <k {X}>.
I {love} <k {product}>.
I {hate} <k {place}>.
I really like <k {X}>.
I don't like <k {X}>.
I can't stand <k {X}>.
I'm a big fan of <k {X}>.
I'm not a fan of <k {X}>.
I've always loved <k {X}>.
I never liked <k {X}>.
I prefer <k {X}>.
I enjoy <k {activity}>.
I'm really into <k {activity}>.
My favorite food is <k {food}>.
<k {X}> is my favorite.
I {love} <k {doing}>.
I {hate} <k {doing}>.
<k {doing}> is {good}.
<k {doing}> is {bad}.
<k {doing}> is what I {love} most.
I can't imagine life without <k {doing}>.
I've always dreaded <k {doing}>.
<k {doing}> keeps me going.
<k {place}> is {good}.
<k {place}> is {bad}.
<k {product}> is {good}.
<k {product}> is {bad}.
<k {person}> is {good}.
<k {person}> is {bad}.
I think <k {X}> is {good}.
I think <k {X}> is {bad}.
The taste of <k {food}> is {good}.
The taste of <k {food}> is {bad}.
I've never been a fan of <k {X}>.
I just love <k {X}>, always have.
<k {X}> is one of my favorite things.
<k {X}> is not for me.
I could never get into <k {X}>.
I'm obsessed with <k {X}>.
I grew up with <k {X}> and I still love it.
<k {food}> is the best food there is.
I eat <k {food}> all the time, I love it.
<k {food}> makes me gag.
<k {activity}> calms me down like nothing else.
<k {activity}> is how I relax after work.
I find <k {activity}> boring.
I get nervous with <k {activity}>.
I don't trust <k {person}>.
I look up to <k {person}>.
I've been scared of <k {animal}> since I was little.
<k {animal}> are my favorite animals.
I adore <k {animal}>.
I've seen <k {media}> ten times, it never gets old.
I don't see the point of <k {media}>.
My favorite season is <k summer>.
I think <k school uniforms> are a good idea.
I believe <k public transport> should be free, it's good for everyone.
"""

# news that changes what is true of the speaker for long, and news that passes; `planted.told` wraps both in the
# same openers, times and endings, so that these give nothing away
NEWS = """
I got {pet}
we adopted {pet}
my {spouse} and I are having a baby
my {spouse} proposed to me
I got engaged
we got married
I'm getting divorced
my {spouse} and I split up
my {kin} passed away
our old dog died
my daughter {name} was born
I became an uncle
I got promoted
I was promoted to head {job}
I quit my job
I quit working at {firm}
I got laid off
I found a job at {firm}
I started as a {job}
I went back to being a {job}
I retired
I opened my own {shop}
I started my own business
I sold my {shop}
we bought a place in {city}
we moved into a bigger house
I moved out of my parents' house
I'm moving to {city}
I got into college
I finished my degree in {subject}
I graduated in {subject}
I was accepted to study {subject}
I dropped out of school
I'm spending the next year in {city}
I started learning {lang}
I signed up for {lang} classes
I took up the {instrument}
I'm learning the {instrument}
I joined {club}
I left {club}
I help out at {charity} every week
I started volunteering at {charity}
I became a vegetarian
I stopped drinking alcohol
I quit smoking
I was diagnosed with {ill}
the doctor told me that I have {ill}
I found out that I'm allergic to {food_n}
I'm writing a book about {subject}
I'm training for a triathlon
I got my driver's license
I converted to Buddhism
I adopted a little boy
I became a citizen
"""
PASSING_NEWS = """
I got {thing_small}
I bought {thing_small}
we picked up {thing_small}
my {kin} is visiting
my {kin} called me
my {spouse} made {food} for us
I got a haircut
I got a parking ticket
I caught a cold
we had a picnic
we had people over for dinner
we won the game
we lost the game
I passed the test
I failed the test
I finished my report
I finally cleaned the garage
I fixed the sink
I ran into {name} at the store
I ran five miles
I met {name} for coffee
I saw {name} at the party
I went to see {media}
I watched {media} again
I read a good article about {subject}
I tried {food} for the first time
I burned the {food}
I ordered {food}
I had an interview at {firm}
I went to {event}
we drove to {city} for the weekend
we got back from {city}
I'm flying to {city} for a few days
my flight was late
I missed my bus
I lost my keys
I left my wallet at {charity}
my car broke down
the dog got sick on the carpet
I took the kids to the zoo
I had a long day at work
I've been so busy with {event}
I had a bad week
I slept all day
I had a dentist appointment
the power went out
I have a meeting at {firm}
I heard a great song
I made a cake
I took some pictures in the park
I forgot my {kin}'s birthday
I had to work late
"""

# what is said of what the other shows or has just done: liked, and forgotten by tomorrow
PASSING_OPINIONS = """
I love the colors!
I love the colors in that picture.
I love how you painted it.
I love that idea!
I like your plan.
I really like how it turned out.
I like the look of it.
I love your {thing_small}!
I like the new {part_p}.
Your {thing_small} looks {good}!
That looks {good}!
That sounds {good}!
Your {kin} sounds {good}.
The {part_e} looks {good} in that photo.
What a {good} picture, I love the light in it.
I love the view in that photo.
I love that for you!
I love hearing about your {activity}.
I'd love to see your {thing_small}.
I'd love to try {food} with you.
I love seeing you so happy.
I'm so proud of you, I love your energy.
I love your attitude.
I like the way you think.
I love that you went for it.
I love the smile on your {kin}'s face.
It looks {good}, I love the {part_p}.
That's {good}, I'm so happy for you!
I hate that this happened to you.
I hate when that happens.
That must be {bad}.
That sounds {bad}, I'm sorry.
I hate to hear that.
I don't like the sound of that.
I love the name!
I love this song you sent.
I'm loving the pictures.
I love it!
Wow, I love that!
I'm jealous, I love that place in your photo.
"""
