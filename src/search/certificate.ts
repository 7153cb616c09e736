import { listed, span } from '../whatif/report/phrases.ts'
import type { PhaseProgress } from './explorer.ts'
import { faultKinds } from './fault-kinds.ts'
import type { FaultModel } from './fault-model.ts'
import type { Moments } from './moments.ts'

/** The result of a search without a violation: what it has shown, and what it has not covered. */
export interface Certificate {
  readonly proven: readonly string[]
  readonly notCovered: readonly string[]
}

export interface CertificateInput {
  readonly progress: readonly PhaseProgress[]
  readonly model: FaultModel
  readonly pairedFaults: readonly string[]
  /** Kinds of the model that have a target in this cluster. */
  readonly possibleFaults: readonly string[]
  readonly moments: Moments
  readonly untilMs: number
  readonly expectations: readonly string[]
  /** Effects that also occur without a fault and do not count. */
  readonly ignored: readonly string[]
  readonly seed: string
}

export function certificateOf(input: CertificateInput): Certificate {
  const { progress, model, pairedFaults, possibleFaults, untilMs, expectations, ignored, seed } = input
  const keeps = `meets ${listed(expectations, 12)} for ${span(untilMs)}`
  const proven: string[] = []
  const notCovered: string[] = []
  for (const { phase, cases, distinct, explored, moments } of progress) {
    const count = `${grouped(cases)} cases, ${grouped(distinct)} distinct`
    if (phase === 'guided') {
      notCovered.push(`three or more faults: ${grouped(explored)} cases were tried, which proves nothing`)
    } else if (explored < distinct) {
      notCovered.push(
        `${phase === 'single' ? 'single faults' : 'pairs of faults'}: only ${grouped(explored)} of ${grouped(distinct)} distinct cases were run`,
      )
    } else if (phase === 'single') {
      proven.push(`every single fault (${listed(possibleFaults, 20)}) ${keeps}: ${count}`)
    } else {
      proven.push(
        `every two faults (${listed(pairedFaults, 20)}), the second ${momentsText(input.moments, moments)}, ${keeps}: ${count}`,
      )
    }
  }
  if (!progress.some(({ phase }) => phase === 'pairs')) notCovered.push('two faults')
  const unpaired = possibleFaults.filter((fault) => !pairedFaults.includes(fault))
  if (pairedFaults.length > 0 && unpaired.length > 0) notCovered.push(`pairs with ${listed(unpaired, 20)}`)
  if (!progress.some(({ phase }) => phase === 'guided')) notCovered.push('three or more faults')
  if (ignored.length > 0) notCovered.push(`what happens without a fault: ${ignored.join(', ')}`)
  const absent = Object.keys(faultKinds).filter((fault) => !possibleFaults.includes(fault))
  notCovered.push(
    `kinds of faults that the model ${model.name} does not have, or that have no target here: ${absent.join(', ') || 'none'}`,
  )
  notCovered.push(`other choices among equally good nodes than those of seed ${seed}`)
  return { proven, notCovered }
}

function momentsText(moments: Moments, times: readonly number[]): string {
  const last = span(times.at(-1) ?? 0)
  if (times.every((atMs) => atMs === 0)) return 'at the same time'
  if (moments.kind === 'grid') {
    return `at any moment in steps of ${span(moments.stepMs)} up to ${last} after the first, when the cluster is quiet again`
  }
  return `at the same time or next to a change that the first causes (${times.length} moments up to ${last}, when the cluster is quiet again)`
}

function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}
