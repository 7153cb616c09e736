// What a forecast's page holds as JSON, for the browser code that draws it.
import type { CidrRange, ConsoleForecast, NodeRow, PodRow } from './console-wire.ts'

/** Everything is there: the page asks nobody for more. */
export interface ReportData {
  readonly forecast: ConsoleForecast
  /** `an hour from …, seed 1, berth …` */
  readonly about: string
  readonly remarks: readonly Remark[]
  /** The cluster at the beginning. Pods that nothing happens to have no names here: see `quietPrefix`. */
  readonly nodes: readonly NodeRow[]
  readonly pods: readonly PodRow[]
  /** How nodes look that are added on the way. */
  readonly added: readonly NodeRow[]
  readonly timeline: readonly ReportLine[]
  /** Each a name and values at the instants of the forecast's series. */
  readonly charts: readonly ReportChart[]
  readonly addresses: readonly CidrRange[]
}

export interface Remark {
  readonly tone: 'bad' | 'warn' | ''
  readonly text: string
}

/** Seconds, what it is about, its name, and what happened to it. */
export type ReportLine = readonly [
  seconds: number,
  about: 'node' | 'pods' | 'step',
  name: string,
  what: string,
  detail: string,
]

export interface ReportChart {
  readonly title: string
  readonly lines: readonly { readonly name: string; readonly color: string; readonly values: readonly number[] }[]
}

/** Keys of pods that nothing happens to: how many there are on a node is known, and what they need, not who they are. */
export type QuietPrefix = '(quiet)/'
