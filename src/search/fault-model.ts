import { choiceAt, durationAt, fieldOf, integerAt, listAt, objectAt, WrongField } from '../api/document-reader.ts'
import { done, failed, type Result } from '../base/result.ts'
import type { FaultTarget } from './fault.ts'
import { type FaultGroup, type FaultKind, faultKinds } from './fault-kinds.ts'
import type { FaultScope } from './fault-scope.ts'

/** One line of a fault model. */
export interface FaultRule {
  /** A name in the table of fault kinds. */
  readonly fault: string
  /** The relative frequency of the fault in random cases. */
  readonly weight: number
  /** The maximum number of occurrences in one case. */
  readonly limit: number
  readonly durationsMs: readonly (number | undefined)[]
}

/** The faults that may occur, their frequency, and their maximum number in one case. */
export interface FaultModel {
  readonly name: string
  readonly faults: readonly FaultRule[]
  /** The maximum number of faults in one case. */
  readonly most: number
}

const rule = (fault: string, weight: number, limit: number, durationsMs?: FaultRule['durationsMs']): FaultRule => ({
  fault,
  weight,
  limit,
  durationsMs: durationsMs ?? (faultKinds[fault] as FaultKind).durationsMs,
})

const minuteMs = 60_000

/** Faults that operators of clusters see in a year. */
const realistic: FaultModel = {
  name: 'realistic',
  most: 3,
  faults: [
    rule('node-fails', 10, 2),
    rule('node-reboots', 6, 2, [10 * minuteMs]),
    rule('kubelet-silent', 4, 2, [10 * minuteMs]),
    rule('node-flaps', 2, 1),
    rule('drain', 6, 2),
    rule('rollout', 6, 2),
    rule('spot-interruption', 6, 3),
    rule('load-spike', 4, 1),
    rule('stock-out', 2, 1),
    rule('rack-fails', 2, 1, [10 * minuteMs]),
    rule('pool-fails', 1, 1),
    rule('zone-fails', 1, 1, [10 * minuteMs]),
    rule('controller-restarts', 2, 1),
    rule('api-outage', 1, 1, [5 * minuteMs]),
  ],
}

/** All faults of the table. */
const harsh: FaultModel = {
  name: 'harsh',
  most: 5,
  faults: Object.keys(faultKinds).map((fault) => rule(fault, fault.startsWith('node') ? 4 : 2, 3)),
}

export const faultModels = { realistic, harsh } as const

/** Reads a document of kind FaultModel. */
export function readFaultModel(document: unknown, name: string): Result<FaultModel> {
  try {
    const fields = objectAt(document, '', ['apiVersion', 'kind', 'metadata', 'faults', 'most'])
    choiceAt(fields['apiVersion'], 'apiVersion', ['berth.dev/v1alpha1'])
    choiceAt(fields['kind'], 'kind', ['FaultModel'])
    const faults = listAt(fields['faults'], 'faults').map((item, at) => ruleAt(item, `faults[${at}]`))
    if (faults.length === 0) throw new WrongField('faults', 'must have at least one fault')
    return done({
      name,
      faults,
      most: fields['most'] === undefined ? 3 : integerAt(fields['most'], 'most', { min: 1 }),
    })
  } catch (error) {
    if (error instanceof WrongField) return failed(error.message)
    throw error
  }
}

function ruleAt(value: unknown, path: string): FaultRule {
  const fields = objectAt(value, path, ['fault', 'weight', 'limit', 'for'])
  const fault = choiceAt(fields['fault'], fieldOf(path, 'fault'), Object.keys(faultKinds))
  const given = fields['for'] === undefined ? undefined : listAt(fields['for'], fieldOf(path, 'for'))
  return rule(
    fault,
    fields['weight'] === undefined ? 1 : integerAt(fields['weight'], fieldOf(path, 'weight'), { min: 1 }),
    fields['limit'] === undefined ? 2 : integerAt(fields['limit'], fieldOf(path, 'limit'), { min: 1 }),
    given?.map((item, at) => (item === 'forever' ? undefined : durationAt(item, `${fieldOf(path, 'for')}[${at}]`))),
  )
}

/** The same model with faults of these groups only. */
export function limitedTo(model: FaultModel, groups: readonly FaultGroup[]): FaultModel {
  if (groups.length === 0) return model
  return {
    ...model,
    faults: model.faults.filter(({ fault }) => groups.includes((faultKinds[fault] as FaultKind).group)),
  }
}

/** A fault that can occur in the cluster, without a time. */
export interface PossibleFault {
  readonly rule: FaultRule
  readonly target: FaultTarget
  readonly forMs?: number
}

/** Every fault of the model that has a target in the cluster, one fault for each class of targets. */
export function possibleFaults({ faults }: FaultModel, scope: FaultScope): readonly PossibleFault[] {
  return faults.flatMap((one) => {
    const kind = faultKinds[one.fault] as FaultKind
    return kind
      .targets(scope)
      .flatMap((target) =>
        one.durationsMs.map((forMs) => ({ rule: one, target, ...(forMs === undefined ? {} : { forMs }) })),
      )
  })
}
