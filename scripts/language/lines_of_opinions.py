"""Lines of `planted.py` for the task `opinions`."""

# lines of opinions; {X} is any thing
OPINIONS = """
I {love} <t+ {X}>.
I {hate} <t- {X}>.
<t+ {X}> is {good}.
<t- {X}> is {bad}.
<t+ {X}> was {good}!
<t- {X}> was {bad}.
I think <t+ {X}> is {good}.
I think <t- {X}> is {bad}.
Honestly, <t- {X}> is just {bad}.
I have to say <t+ {X}> turned out {good}.
{good}, that <t+ {X}>.
My favorite thing in the world is <t+ {X}>.
<t+ {X}> makes me so happy.
<t- {X}> drives me crazy.
<t- {X}> gets on my nerves.
I love <t+ {X}> but I hate <t- {Y}>.
I like <t+ {X}> more than <t0 {Y}>.
<t+ {X}> was {good}, but <t- {Y}> was {bad}.
I don't like <t- {X}>, I prefer <t+ {Y}>.
I never really liked <t- {X}>.
I used to hate it, but now I {love} <t+ {X}>.
We had {bad} luck with <t- {X}>.
We really enjoyed <t+ {X}>.
I wish I never bought <t- {product}>.
So glad we got <t+ {product}>.
<t+ {product}> works like a charm.
<t- {product}> broke after a week.
<t- {product}> keeps crashing.
The <a- {part_p}> of <t0 {product}> is {bad}.
The <a+ {part_p}> on <t0 {product}> is {good}.
<t0 {product}> has a {good} <a+ {part_p}>.
<t0 {product}> has a {bad} <a- {part_p}>.
I love the <a+ {part_p}> of <t0 {product}>.
I hate the <a- {part_p}> of <t0 {product}>.
<t0 {product}> is fine, except for the <a- {part_p}>.
The <a+ {part_m}> of <t0 {media}> was {good}.
The <a- {part_m}> in <t0 {media}> was {bad}.
The <a+ {part_e}> at <t0 {event}> was {good}.
The <a- {part_e}> at <t0 {place}> was {bad}.
<t0 {place}> has {good} <a+ {part_e}>.
The <a+ {part_e}> was {good} but the <a- {part_e}> was {bad}.
<t+ {person}> is {good}.
<t- {person}> is {bad}.
<t+ {person}> is always so kind to me.
<t- {person}> never listens to anyone.
<t+ {person}> is my favorite person.
I really miss <t+ {person}>.
I'm so mad at <t- {person}>.
I'm worried about <t- {event}>.
I'm excited about <t+ {event}>.
I can't wait for <t+ {event}>.
I'm dreading <t- {event}>.
<t+ {place}> is such a {good} place to live.
I would never go back to <t- {place}>.
We should go back to <t+ {place}>, it was {good}.
I'm not into <t- {activity}> at all.
<t+ {activity}> helps me relax.
<t- {activity}> stresses me out.
<t+ {activity}> is so much fun.
<t- {food}> tastes weird to me.
<t+ {food}> tastes {good}.
I'm craving <t+ {food}>.
I could eat <t+ {food}> every day.
<t- {food}> makes me sick.
<t+ {animal}> are so cute.
<t- {animal}> freak me out.
I'm terrified of <t- {animal}>.
<t+ {media}> is a masterpiece.
I fell asleep during <t- {media}>.
<t+ {media}> always makes me cry in a good way.
I'm not gonna lie, <t- {X}> kind of sucks.
<t+ {X}> rocks!
man I {love} <t+ {X}>
ugh I {hate} <t- {X}>
I don't mind <t0 {X}>.
<t0 {X}> is okay I guess.
<t0 {X}> is fine.
I recommend <t+ {X}> to everyone.
Don't bother with <t- {X}>.
Nothing beats <t+ {X}>.
I regret <t- {activity}> with him.
She is {good} at it, but <t- {X}> is still {bad}.
It's a shame, <t- {X}> is {bad}.
The best part was <t+ {X}>.
The worst part was <t- {X}>.
I'm not happy with <t- {product}>.
I'm very happy with <t+ {product}>.
<t+ {X}> never gets old.
I could do without <t- {X}>.
I've grown to love <t+ {X}>.
There is nothing like <t+ {X}> in the morning.
I'm allergic to bad service, and <t- {place}> had plenty of it.
"""

HELD_OPINIONS = """
You know what I {love}? <t+ {X}>.
<t- {X}> is {bad}, if you ask me.
Wow, <t+ {X}> is {good}.
I find <t- {X}> {bad}.
To me <t+ {X}> feels {good}.
I'm done with <t- {X}>.
I'm fond of <t+ {X}>.
Everybody raves about it, yet <t- {X}> left me cold.
The <a- {part_p}> on <t0 {product}> annoys me.
What I like about <t0 {product}> is the <a+ {part_p}>.
I was impressed by the <a+ {part_m}> of <t0 {media}>.
The <a- {part_e}> ruined <t0 {event}> for us.
<t+ {person}> cheers me up every time.
<t- {person}> lied to me again.
I look forward to <t+ {event}>.
<t- {activity}> bores me.
<t+ {food}> is my comfort food.
<t- {animal}> give me the creeps.
I'd take <t+ {X}> over anything.
"""

# no opinion: a thing that is only mentioned ({X} is left open: it may be tagged as neutral)
PLAIN = """
I went to <?0 {place}> {when}.
I had <?0 {food}> for lunch.
We are going to <?0 {place}> {when}.
Have you tried <?0 {food}>?
Do you like <?0 {X}>?
What do you think about <?0 {X}>?
I saw <?0 {person}> {when}.
I need to buy <?0 {food}>.
I was {activity_plain} {when}.
I talked to <?0 {person}> about <?0 {event}>.
<?0 {event}> is {when}.
I left <?0 {product}> at home.
Where is <?0 {product}>?
I'm from <?0 {place}>.
<?0 {person}> lives in <?0 {place}>.
My name is {name}.
How are you doing?
What are you up to {when}?
Not much, just at home.
I'm going to bed.
Nice to meet you!
That's great!
That sounds good.
That's awesome, congrats!
Oh no, I'm sorry to hear that.
Thanks so much!
Thank you, you are the best!
Have a great day!
Good morning!
I'm doing well, thanks.
I'm good, how about you?
Yeah, I agree.
No worries!
I love you too.
Haha that's funny.
Oh cool!
It was nice talking to you.
Sounds like fun.
Good luck with <?0 {event}>!
I'm so tired.
I'm a bit hungry.
Sorry for the late reply.
Let me know if you need anything.
I hope you feel better soon.
I don't know.
Did you watch <?0 {media}>?
He said that <?0 {X}> was nice.
I would love to.
I wish I could.
If I were rich I would buy <?0 {product}>.
That makes sense.
Good for you!
I guess so.
I like that idea.
That is so true.
I'm glad to hear that.
It's been a long day.
I think so too.
Best wishes to you.
What is your favorite food?
"""
HELD_PLAIN = """
I picked up <?0 {food}> {when}.
Could you bring <?0 {product}>?
I met <?0 {person}> near <?0 {place}>.
Hope you're having a lovely day.
So sorry about that.
Glad you made it!
Is <?0 {X}> any good?
Wonderful, see you then.
"""
