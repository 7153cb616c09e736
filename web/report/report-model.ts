import type { ReportData, ReportLine } from '../../src/wire/report-wire.ts'
import { ClusterModel } from '../model/cluster.ts'
import { forecastTransitions } from '../model/forecast-transitions.ts'
import type { Happening } from '../model/happenings.ts'
import { learnNodeNames } from '../model/node-names.ts'
import { ReplayedCluster } from '../model/replay.ts'

/** A forecast at any instant. */
export function replayOf({ forecast, nodes, pods, added }: ReportData): ReplayedCluster {
  const cluster = new ClusterModel()
  for (const row of nodes) cluster.putNode(row)
  for (const row of pods) cluster.putPod(row)
  learnNodeNames(cluster)
  return new ReplayedCluster(cluster, forecastTransitions(forecast, cluster, added), 'before')
}

/** The nodes of the question: those that steps name, and the first with changes. */
export function markedNodes({ nodes, timeline }: ReportData): ReadonlySet<string> {
  const steps = timeline.filter(([, about]) => about === 'step')
  const named = new Set(steps.flatMap(([, , , , detail]) => detail.split(/[\s,:"[\]{}]+/)))
  return new Set(nodes.map(([name]) => name).filter((name) => named.has(name)))
}

export function happeningOfLine([seconds, about, name, what, detail]: ReportLine, startMs: number): Happening {
  return {
    at: startMs + seconds * 1000,
    what: lineWords(name, what, detail),
    tone: tones.get(what) ?? (what === 'ready' ? (detail === 'True' ? 'good' : 'bad') : ''),
    about: { kind: about === 'node' ? 'node' : 'other', key: about === 'step' ? '' : name },
  }
}

const tones: ReadonlyMap<string, Happening['tone']> = new Map(
  Object.entries({
    bound: 'good',
    unschedulable: 'warn',
    nominated: 'odd',
    gated: 'odd',
    notReady: 'warn',
    tainted: 'warn',
    cordoned: 'warn',
    terminating: 'bad',
    deleted: 'bad',
  }),
)

function lineWords(name: string, what: string, detail: string): string {
  switch (what) {
    case 'step':
      return `step: ${name} ${detail}`.trimEnd()
    case 'ready':
      return `Ready is ${detail}`
    case 'bound':
      return `bound to ${detail}`
    case 'unschedulable':
      return `cannot be placed: ${detail}`
    case 'terminating':
      return `deleted${detail === '' ? '' : ` on ${detail}`}`
    case 'gone':
      return `gone${detail === '' ? '' : ` from ${detail}`}`
    case 'nominated':
      return `nominated for ${detail}`
    case 'notReady':
      return `not ready on ${detail}`
    default:
      return `${what}${detail === '' ? '' : ` ${detail}`}`
  }
}
