import { invalid } from '../errors/field-error.ts'
import { checkMetaUpdate, checkNonnegative, metaOf } from './meta.ts'
import { type Errors, type Obj, part } from './reader.ts'
import { number, numberIfSet } from './scalars.ts'

interface StatusRules {
  readonly counts: readonly string[]
  /** Counters that must not exceed status.replicas. */
  readonly bounded?: readonly string[]
  /** The message if availableReplicas exceeds readyReplicas. */
  readonly readyName?: string
  readonly collisions?: boolean
}

/** A check of a status with replica counters. */
export function createStatusCheck(rules: StatusRules): (errors: Errors, object: Obj, old: Obj) => void {
  return (errors, object, old) => {
    checkMetaUpdate(errors, metaOf(object), metaOf(old))
    const status = part(object, 'status')
    for (const field of rules.counts) {
      const value = number(status, field)
      if (value < 0) checkNonnegative(errors, value, `status.${field}`)
    }
    const total = number(status, 'replicas')
    for (const field of rules.bounded ?? []) {
      const value = number(status, field)
      if (value > total) errors.push(invalid(`status.${field}`, value, 'cannot be greater than status.replicas'))
    }
    const available = number(status, 'availableReplicas')
    if (rules.readyName !== undefined && available > number(status, 'readyReplicas')) {
      errors.push(invalid('status.availableReplicas', available, `cannot be greater than ${rules.readyName}`))
    }
    if (rules.collisions === true) checkCollisions(errors, status, part(old, 'status'))
  }
}

function checkCollisions(errors: Errors, status: Obj, before: Obj): void {
  const old = numberIfSet(before, 'collisionCount')
  const now = numberIfSet(status, 'collisionCount')
  if (old === undefined || (now !== undefined && now >= old)) return
  errors.push(invalid('status.collisionCount', now ?? 0, 'cannot be decremented'))
}

export const checkDeploymentStatus = createStatusCheck({
  counts: [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'terminatingReplicas',
    'collisionCount',
  ],
  bounded: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
  readyName: 'readyReplicas',
  collisions: true,
})

export const checkReplicaSetStatus = createStatusCheck({
  counts: [
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'availableReplicas',
    'observedGeneration',
    'terminatingReplicas',
  ],
  bounded: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
  readyName: 'readyReplicas',
})

export const checkStatefulSetStatus = createStatusCheck({
  counts: [
    'replicas',
    'readyReplicas',
    'currentReplicas',
    'updatedReplicas',
    'availableReplicas',
    'observedGeneration',
    'collisionCount',
  ],
  bounded: ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
  readyName: 'status.readyReplicas',
  collisions: true,
})

export const checkDaemonSetStatus = createStatusCheck({
  counts: [
    'currentNumberScheduled',
    'numberMisscheduled',
    'desiredNumberScheduled',
    'numberReady',
    'observedGeneration',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberUnavailable',
    'collisionCount',
  ],
  collisions: true,
})
