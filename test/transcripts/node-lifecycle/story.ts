import { parseGoDurationMs } from '../../../src/api/go-duration.ts'
import type { TaintEffect, Toleration } from '../../../src/api/objects/pod.ts'
import { must } from '../../../src/base/result.ts'
import type { StoryFile } from '../story-file.ts'

/** One line of a story, taken apart. Instants are milliseconds from the beginning. */
export interface StoryLine {
  readonly atMs: number
  readonly words: readonly string[]
  readonly text: string
}

export interface HeartbeatStory {
  readonly title: readonly string[]
  /** `set NAME VALUE`: flags of kube-controller-manager, and `lease` and `status`, the intervals of the kubelets. */
  readonly settings: Readonly<Record<string, string>>
  /** `compare FIX …`: the story runs twice, with upstream behavior and with these fixes. */
  readonly compare: readonly string[]
  readonly setup: readonly StoryLine[]
  readonly events: readonly StoryLine[]
  readonly untilMs: number
}

/**
 * Reads the lines of a story: what is there at the beginning, what happens when, and an end.
 *
 *     node a1 zone=east
 *     pod web on a1 tolerating maintenance for 5s
 *     at 5s taint a1 maintenance=now:NoExecute
 *     until 40s
 */
export function readStory({ title, settings, compare = [], lines }: StoryFile): HeartbeatStory {
  const setup: StoryLine[] = []
  const events: StoryLine[] = []
  let untilMs: number | undefined
  for (const words of lines) {
    const [first = '', second = '', ...rest] = words
    if (first === 'until') untilMs = milliseconds(second)
    else if (first === 'at') events.push({ atMs: milliseconds(second), words: rest, text: rest.join(' ') })
    else setup.push({ atMs: 0, words, text: words.join(' ') })
  }
  if (untilMs === undefined) throw new Error('a story needs an end: until DURATION')
  return { title, settings, compare, setup, events, untilMs }
}

export function milliseconds(text: string): number {
  return must(parseGoDurationMs(text))
}

/** `a1,a2` or `a1..a5`. */
export function namesIn(text: string): readonly string[] {
  return text.split(',').flatMap((part) => {
    const range = /^(.*?)(\d+)\.\.(.*?)(\d+)$/.exec(part)
    if (range === null) return [part]
    const [, prefix = '', from, , to] = range
    const names: string[] = []
    for (let i = Number(from); i <= Number(to); i++) names.push(`${prefix}${i}`)
    return names
  })
}

/** `key=value` words as a map. */
export function fieldsIn(words: readonly string[]): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {}
  for (const word of words) {
    const equals = word.indexOf('=')
    if (equals > 0) fields[word.slice(0, equals)] = word.slice(equals + 1)
  }
  return fields
}

/** `maintenance for 5s and second and other=x for 0s`: what a pod tolerates, and for how long. */
export function tolerationsIn(words: readonly string[]): readonly Toleration[] {
  const tolerations: Toleration[] = []
  for (const part of words.join(' ').split(' and ')) {
    if (part === '' || part === 'nothing') continue
    const [what = '', , time] = part.split(' ')
    const [key = '', value] = what.split('=')
    const of = key === 'everything' ? {} : { key }
    const how = value === undefined ? ({ operator: 'Exists' } as const) : ({ operator: 'Equal', value } as const)
    const seconds = time === undefined ? {} : { tolerationSeconds: milliseconds(time) / 1000 }
    tolerations.push({ ...of, ...how, effect: 'NoExecute', ...seconds })
  }
  return tolerations
}

/** `key=value:Effect`. */
export function taintIn(text: string): { key: string; value?: string; effect: TaintEffect } {
  const colon = text.lastIndexOf(':')
  const [key = '', value] = text.slice(0, colon).split('=')
  return { key, ...(value === undefined ? {} : { value }), effect: text.slice(colon + 1) as TaintEffect }
}
