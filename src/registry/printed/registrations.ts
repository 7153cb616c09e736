import { goSelectorText } from '../../api/go-selector-text.ts'
import type { KubeObject, LabelSelector } from '../../api/objects/meta.ts'
import { list, type Obj, part } from '../validation/reader.ts'
import { text } from '../validation/scalars.ts'
import { humanDuration } from './age.ts'

const asObj = (object: KubeObject): Obj => object as unknown as Obj
type RegistrationCells = (object: KubeObject, now: number, age: string) => readonly unknown[]

export const webhookCells: RegistrationCells = (object, _now, age) => [
  object.metadata.name,
  list(asObj(object), 'webhooks').length,
  age,
]

/** `counted`: the validations or mutations of the policy. */
export const policyCells =
  (counted: string): RegistrationCells =>
  (object, _now, age) => {
    const spec = part(asObj(object), 'spec')
    const kind = spec['paramKind'] as Obj | undefined
    const shown = kind === undefined ? '<unset>' : `${text(kind, 'apiVersion')}/${text(kind, 'kind')}`
    return [object.metadata.name, list(spec, counted).length, shown, age]
  }

export const policyBindingCells: RegistrationCells = (object, _now, age) => {
  const spec = part(asObj(object), 'spec')
  return [object.metadata.name, text(spec, 'policyName'), parameterText(spec['paramRef'] as Obj | undefined), age]
}

function parameterText(reference: Obj | undefined): string {
  const name = text(reference, 'name')
  if (name !== '') return `${text(reference, 'namespace') || '*'}/${name}`
  const selector = reference?.['selector'] as LabelSelector | undefined
  return selector === undefined ? '<unset>' : goSelectorText(selector)
}

export const signingRequestCells: RegistrationCells = (object, _now, age) => {
  const spec = part(asObj(object), 'spec')
  const seconds = spec['expirationSeconds'] as number | undefined
  const lifetime = seconds === undefined ? '<none>' : humanDuration(seconds * 1000)
  return [
    object.metadata.name,
    age,
    text(spec, 'signerName') || '<none>',
    text(spec, 'username'),
    lifetime,
    requestState(part(asObj(object), 'status')),
  ]
}

function requestState(status: Obj): string {
  const has = (type: string) => list(status, 'conditions').some((one) => text(one, 'type') === type)
  let state = 'Pending'
  if (has('Denied')) state = 'Denied'
  else if (has('Approved')) state = 'Approved'
  if (has('Failed')) state += ',Failed'
  return text(status, 'certificate') === '' ? state : `${state},Issued`
}

export const flowSchemaCells: RegistrationCells = (object, _now, age) => {
  const spec = part(asObj(object), 'spec')
  const dangling = list(part(asObj(object), 'status'), 'conditions').find((one) => text(one, 'type') === 'Dangling')
  return [
    object.metadata.name,
    text(part(spec, 'priorityLevelConfiguration'), 'name'),
    spec['matchingPrecedence'] ?? 0,
    text(part(spec, 'distinguisherMethod'), 'type') || '<none>',
    age,
    dangling === undefined ? '?' : text(dangling, 'status'),
  ]
}

export const priorityLevelCells: RegistrationCells = (object, _now, age) => {
  const spec = part(asObj(object), 'spec')
  const limited = spec['limited'] as Obj | undefined
  const queuing = part(limited, 'limitResponse')['queuing'] as Obj | undefined
  const shown = (from: Obj | undefined, name: string): unknown => (from === undefined ? '<none>' : (from[name] ?? 0))
  return [
    object.metadata.name,
    text(spec, 'type'),
    shown(limited, 'nominalConcurrencyShares'),
    shown(queuing, 'queues'),
    shown(queuing, 'handSize'),
    shown(queuing, 'queueLengthLimit'),
    age,
  ]
}

export const apiServiceCells: RegistrationCells = (object, _now, age) => {
  const service = part(asObj(object), 'spec')['service'] as Obj | undefined
  const shown = service === undefined ? 'Local' : `${text(service, 'namespace')}/${text(service, 'name')}`
  const available = list(part(asObj(object), 'status'), 'conditions').find((one) => text(one, 'type') === 'Available')
  let state = 'Unknown'
  if (available !== undefined) {
    const status = text(available, 'status')
    const reason = text(available, 'reason')
    state = status === 'True' || reason === '' ? status : `${status} (${reason})`
  }
  return [object.metadata.name, shown, state, age]
}
