/** Phrases that readers stumble over, each with what to write instead. The glossary (docs/glossary.md) has the terms. */
export interface Idiom {
  readonly pattern: RegExp
  readonly instead: string
}

export const idioms: readonly Idiom[] = [
  { pattern: /\banew\b/i, instead: '"again", "from scratch" or "re-…"' },
  { pattern: /\bnobody\b/i, instead: '"no one", "nothing", or the actor: "no client reads it"' },
  { pattern: /\bwho(m)?ever\b/i, instead: 'the actor: "the caller", "a client that …"' },
  { pattern: /\bso many\b/i, instead: '"N", or the count: "at most N per second"' },
  {
    pattern: /\b(will|would) do\b(?! (to|if|before|next|when|on|in|and|with|for|about)\b)(?=[\s.,;:)'"`]|$)/i,
    instead: '"fits", "is enough"',
  },
  { pattern: /\bmend(s|ed|ing)?\b/i, instead: '"fix", "repair"' },
  {
    pattern: /(?<!\bthere )\b(is|are|was|were) no (?!longer\b|more\b)[a-z]/i,
    instead: '"is not a …"',
  },
  { pattern: /\bof (its|their|your|one's) own\b/i, instead: '"its own …": "its own folder"' },
  { pattern: /\blots? (are|is) drawn\b|\bdraws? (no )?lots?\b/i, instead: '"random", "random draw"' },
  { pattern: /\bbeing gone\b/i, instead: '"deleted", "(node deleted)"' },
  { pattern: /\bgo(es)? round in a loop\b/i, instead: '"loop detected"' },
  { pattern: /\b(not )?all is well\b/i, instead: '"recovered", "healthy"' },
  { pattern: /\bin vain\b/i, instead: '"without success"' },
  { pattern: /\bfor want of\b/i, instead: '"because … is missing"' },
  { pattern: /\b(hence|thence|whence|shall|ought|upon|lest|whilst|amongst)\b/i, instead: 'plain modern English' },
  { pattern: /\bto be had\b|\bcan(not)? be had\b/i, instead: '"available", "unavailable"' },
  { pattern: /\blets go of\b/i, instead: '"releases"' },
  { pattern: /\bbecomes? of\b|\bbecame of\b/i, instead: '"the outcome of", "the result of"' },
  { pattern: /\b(is|are) (all )?alike in\b/i, instead: '"share", "have the same"' },
  { pattern: /\b(tell|tells|told)( \w+){0,5} apart\b/i, instead: '"distinguish"' },
  { pattern: /\bnothing but\b/i, instead: '"only"' },
  { pattern: /\bevery so often\b/i, instead: '"at regular intervals", or the interval' },
  { pattern: /\bword for word\b/i, instead: '"exactly"' },
  { pattern: /\bgives? way to\b/i, instead: '"yields to"' },
  { pattern: /\bagain and again\b/i, instead: '"repeatedly"' },
  { pattern: /\b(once more)\b/i, instead: '"again"' },
  { pattern: /\bin spite of\b/i, instead: '"despite"' },
  {
    pattern: /\b(retr(y|ied)|repeats?|tried|waits?|runs?|evicted|placed again,?) without end\b/i,
    instead: '"forever", "repeatedly"',
  },
  { pattern: /\bon (its|their|the) way out\b/i, instead: '"terminating", "being removed"' },
  { pattern: /\b(finds?|found) (a|no) place\b/i, instead: '"fits", "does not fit", "is placed"' },
  { pattern: /\bchang(e|es|ed|ing) hands\b/i, instead: '"is allocated or released"' },
  { pattern: /\b(came|comes?) or (went|goes?)\b/i, instead: '"added or removed", "created or deleted"' },
  { pattern: /\bfor a shorter time than\b/i, instead: '"for less than"' },
  { pattern: /\bhas to leave\b/i, instead: '"is preempted", "is evicted"' },
  { pattern: /\b(the|a) reclaim of\b/i, instead: '"… is reclaimed"' },
  { pattern: /\bthe business of\b/i, instead: 'the actor: "the caller closes it"' },
  { pattern: /\beverybody\b/i, instead: '"all users", or the actor' },
  { pattern: /\bin (the|its|his|their|upstream's) words\b/i, instead: '"with the message of …"' },
  { pattern: /\b(that|which|one) is none\b|\bis none of\b/i, instead: '"invalid", "is not a …"' },
  { pattern: /\bwhat is wrong\b/i, instead: '"the problem of …", "the error"' },
  { pattern: /\bthe very same\b/i, instead: '"the same", "identical"' },
  { pattern: /\bfor good\b(?! reason)/i, instead: '"forever", "permanently"' },
  { pattern: /\b(takes?|took) the place of\b/i, instead: '"replaces"' },
  { pattern: /\b(nevertheless|nonetheless)\b/i, instead: '"still", "even so"' },
  { pattern: /\b(comes? and goe?s?|hand to hand)\b/i, instead: '"is created and deleted"' },
  { pattern: /\bare alike\b/i, instead: '"are equal", "are interchangeable"' },
  { pattern: /\bby way of\b/i, instead: '"through"' },
  { pattern: /\bhowever (many|much|often|long|late|large)\b/i, instead: '"any number of", "even if"' },
  { pattern: /\band the like\b/i, instead: '"such as …"' },
  { pattern: /\bstand-ins?\b/i, instead: '"placeholder", "default"' },
  { pattern: /\b(befalls?|unsaid)\b/i, instead: 'plain modern English' },
  { pattern: /\bnow and then\b/i, instead: '"sometimes", "regularly", or the interval' },
  {
    pattern:
      /behaviour|colour|neighbour|honour|favour\b|favourite|\bcentre\b|licence|\b\w*(recogni|organi|normali|initiali|seriali|summari|synchroni|materiali|prioriti|minimi|maximi|optimi|reali|generali|speciali|utili|authori)s(e|ed|es|ing|ation)\b/i,
    instead: 'American spelling',
  },
]

/** Texts of Kubernetes that match an idiom: messages, field descriptions and names, by file. */
export const quotations: readonly { readonly path: string; readonly text: string }[] = []
