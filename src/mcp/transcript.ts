import type { JsonObject } from '../api/objects/meta.ts'
import { encodeJson, parseJson } from '../base/exact-json.ts'
import { done, failed, type Result } from '../base/result.ts'
import { version } from '../base/version.ts'
import { nameHint } from '../whatif/scenario/near-names.ts'
import type { WrittenStep } from './fork.ts'
import type { CallRecord } from './protocol/server.ts'
import type { Effect } from './workspace.ts'

export const transcriptApiVersion = 'berth.dev/v1alpha1'

/** The first line: the settings that all forks of the session share. */
export function transcriptHeader(flags: Readonly<Record<string, unknown>>): string {
  return `${encodeJson({ apiVersion: transcriptApiVersion, kind: 'Transcript', berth: version, flags })}\n`
}

/** One line for each call: the arguments, the changes, and the answer. It has no real time, so that a session can be repeated. */
export function transcriptLine(call: number, { tool, arguments: given, result, effects }: CallRecord): string {
  const { isError, structuredContent, content } = result
  const answer = isError === true ? { error: content[0]?.text ?? '' } : { answer: structuredContent }
  return `${encodeJson({ call, tool, arguments: given, effects: merged(effects), ...answer })}\n`
}

/** Of several consecutive advances of a fork, only the last one. */
function merged(effects: readonly Effect[]): readonly Effect[] {
  return effects.filter((effect, at) => {
    const next = effects[at + 1]
    return !(effect.kind === 'advance' && next?.kind === 'advance' && next.fork === effect.fork)
  })
}

export function isTranscript(text: string): boolean {
  return /^\{"apiVersion":"berth\.dev\/[^"]{1,20}","kind":"Transcript"/.test(text.slice(0, 200))
}

/** The history of one fork of a session: the input to repeat it. */
export interface ForkHistory {
  readonly fork: string
  /** Path of the snapshot, relative to the transcript. */
  readonly path: string
  readonly sha256: string
  readonly flags: Readonly<Record<string, unknown>>
  readonly seed: string
  readonly steps: readonly WrittenStep[]
  readonly until: string
}

/** Reads the history of a fork. Default: the fork that changed last. */
export function readTranscript(text: string, wanted?: string): Result<ForkHistory> {
  const [first = '', ...lines] = text.split('\n').filter((line) => line !== '')
  const histories = new Map<string, ForkHistory>()
  let last: string | undefined
  try {
    const shared = (parseJson(first) as { readonly flags?: JsonObject }).flags ?? {}
    for (const line of lines) {
      const { effects = [] } = parseJson(line) as { readonly effects?: readonly Effect[] }
      for (const effect of effects) {
        take(effect, histories, shared)
        if (effect.kind !== 'open' || last === undefined) last = effect.fork
      }
    }
  } catch {
    return failed(`line ${lines.length + 1} or before it is not a line of a transcript; the file may be incomplete`)
  }
  const fork = wanted ?? last
  const history = fork === undefined ? undefined : histories.get(fork)
  if (history !== undefined) return done(history)
  if (fork === undefined) return failed('the transcript has no fork: the session opened no cluster')
  return failed(`fork ${JSON.stringify(fork)} not found in the transcript; ${nameHint(fork, [...histories.keys()])}`)
}

function take(effect: Effect, histories: Map<string, ForkHistory>, shared: JsonObject): void {
  switch (effect.kind) {
    case 'open': {
      const { fork, path = '', sha256, flags, seed } = effect
      histories.set(fork, { fork, path, sha256, flags: { ...shared, ...flags }, seed, steps: [], until: '0s' })
      return
    }
    case 'fork': {
      const { fork, from, flags, seed } = effect
      const parent = histories.get(from) as ForkHistory
      histories.set(fork, { ...parent, fork, seed, flags: { ...parent.flags, ...flags } })
      return
    }
    case 'step': {
      const history = histories.get(effect.fork) as ForkHistory
      histories.set(effect.fork, { ...history, steps: [...history.steps, effect.step], until: effect.step.at })
      return
    }
    case 'advance':
      histories.set(effect.fork, { ...(histories.get(effect.fork) as ForkHistory), until: effect.to })
  }
}
