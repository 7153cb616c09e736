// The data of a forecast's HTML page, as JSON for its browser code.
import type { CidrRange, ConsoleForecast, NodeRow, PodRow } from './console-wire.ts'

/** The complete data of the page, which sends no requests. */
export interface ReportData {
  readonly forecast: ConsoleForecast
  /** `an hour from …, seed 1, berth …` */
  readonly about: string
  readonly remarks: readonly Remark[]
  /** The cluster at the start. Pods without changes have no names here: see `quietPrefix`. */
  readonly nodes: readonly NodeRow[]
  readonly pods: readonly PodRow[]
  /** The rows of nodes that are added during the forecast. */
  readonly added: readonly NodeRow[]
  readonly timeline: readonly ReportLine[]
  /** Each has a name and values at the times of the forecast's series. */
  readonly charts: readonly ReportChart[]
  readonly addresses: readonly CidrRange[]
}

export interface Remark {
  readonly tone: 'bad' | 'warn' | ''
  readonly text: string
}

/** Seconds, kind, name, and event. */
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

/** Keys of pods without changes. The report has their number per node and their requests, but not their names. */
export type QuietPrefix = '(quiet)/'
