#include "datasets/tasks/grammar_rules.h"

namespace headroom {

// Present tense throughout, so that every verb shows its number. Words after "a" start with a
// consonant. A subject may carry a phrase of the other number between it and its verb.
GrammarRules grammar_rules() {
    GrammarRules rules;
    rules.facts = {"trade",    "home",  "count", "look",  "animals",
                   "material", "thing", "spot",  "friend"};
    rules.alternatives = {
        {"story", {"{opening} {belongings} {middle} {ending}\n\n"}},
        {"opening",
         {"{hero} the {trade} lives {home}.", "There is a {trade} named {hero}, who lives {home}.",
          "In a {adjective} house {home} lives a {trade} named {hero}."}},
        {"belongings",
         {"{they} has {count} {look} {animals} and a {material} {thing}.",
          "{they} keeps {count} {look} {animals}, and {their} {material} {thing} is {spot}.",
          "{their} {animals} are {look}, and {their} {thing} is {material}."}},
        {"middle",
         {"{event} {event}", "{event} {event} {event}", "{event}",
          "{event} {event} {event} {event}"}},
        {"event", {"{scene}", "{talk}", "{scene} {scene}", "{deed}"}},
        {"scene",
         {"{singular} {verb_s}, and {plural} {verb}.", "{singular} {is_so}.", "{plural} {are_so}.",
          "When {plural} {verb}, {singular} {verb_s}.", "Every {time} {plural} {verb} {place}.",
          "Every {time} {singular} {verb_s} {place}, but {plural} {verb}."}},
        {"talk",
         {"\"Where is the {material} {thing}?\" asks {friend}. \"It is {spot},\" says {hero}.",
          "\"How many {animals} do you have?\" asks {friend}. \"I have {count},\" says {hero}.",
          "{friend} comes to see {hero}. \"I like your {look} {animals},\" says {friend}.",
          "\"Who lives {home}?\" asks {friend}. \"{hero} the {trade},\" says {person}."}},
        {"deed",
         {"One {time} {hero} gives {friend} some {food}, and {friend} thanks {them}.",
          "{hero} looks for the {thing}, and {they} finds it {spot}.",
          "{friend} brings {food} for the {count} {animals}, and {hero} smiles.",
          "{they} feeds the {animals} and eats some {food} with {friend}."}},
        {"ending",
         {"At night {hero} the {trade} counts the {count} {look} {animals}, puts the {material} "
          "{thing} {spot} and goes to sleep.",
          "So {hero} still has {count} {look} {animals} and a {material} {thing}."}},
        {"singular",
         {"the {noun}", "the {adjective} {noun}", "the {noun} {near} the {nouns}",
          "the {noun} that {verb_s}", "the {noun} {near} the {adjective} {nouns}"}},
        {"plural",
         {"the {nouns}", "the {adjective} {nouns}", "the {nouns} {near} the {noun}",
          "the {nouns} that {verb}", "the {nouns} {near} the {adjective} {noun}"}},
        {"is_so", {"is {state}", "is {state} and {mood}", "is not {state}"}},
        {"are_so", {"are {state}", "are {state} and {mood}", "are not {state}"}},
        {"person", {"the priest", "a boy", "the mayor", "a child"}},
        {"hero_she", {"Anna", "Clara", "Ruth", "Maria", "Nora", "Edith"}},
        {"hero_he", {"Peter", "Oscar", "Martin", "Henry", "Simon", "Walter"}},
        {"friend", {"Tom", "Julia", "Felix", "Vera", "Hugo", "Lena"}},
        {"trade",
         {"baker", "miller", "weaver", "sailor", "smith", "gardener", "shepherd", "potter",
          "fisher", "teacher"}},
        {"home",
         {"by the river", "near the harbour", "under the hill", "behind the church",
          "above the market", "at the edge of the forest"}},
        {"count", {"two", "three", "four", "five", "seven", "nine"}},
        {"look", {"grey", "white", "black", "brown", "spotted", "small"}},
        {"animals", {"cats", "dogs", "goats", "hens", "horses", "rabbits", "ducks", "pigs"}},
        {"material", {"wooden", "silver", "paper", "golden", "glass", "leather", "stone"}},
        {"thing", {"key", "lamp", "box", "flute", "bowl", "ring", "bell", "map"}},
        {"spot",
         {"on the shelf", "under the bed", "in the cellar", "behind the door", "on the table",
          "in the garden"}},
        {"noun", {"bird", "tree", "boat", "child", "wheel", "fox", "king", "cloud"}},
        {"nouns", {"birds", "trees", "boats", "children", "wheels", "foxes", "kings", "clouds"}},
        {"adjective", {"dark", "quiet", "tall", "green", "small", "strange"}},
        {"near", {"near", "behind", "above", "beside"}},
        {"verb_s", {"sings", "waits", "turns", "falls", "sleeps", "moves", "rests", "grows"}},
        {"verb", {"sing", "wait", "turn", "fall", "sleep", "move", "rest", "grow"}},
        {"state", {"cold", "quiet", "bright", "wet", "old", "far away"}},
        {"mood", {"tired", "happy", "strange", "alone"}},
        {"time", {"morning", "evening", "day", "night", "winter", "summer"}},
        {"place", {"in the field", "on the water", "at the gate", "near the well"}},
        {"food", {"bread", "milk", "cheese", "soup", "honey"}},
    };
    return rules;
}

}  // namespace headroom
