import type { KubeObject } from '../api/objects/meta.ts'
import type { Controller, StepInput, StepOutput } from '../runtime/controller.ts'
import { ClusterOptionError, checkFunction, checkList, checkMembers, checkText, shown } from './argument-checks.ts'
import type { ObjectClient } from './object-client.ts'
import type { ObjectNamed, ServedResource } from './resource-name.ts'

/** A controller with the contract of the built-in controllers: a synchronous step from changes to actions. */
export interface StepControllerDefinition {
  readonly kind: 'step'
  readonly name: string
  /** Creates a controller without state. Called once for a cluster and once for each of its forks. */
  readonly create: () => Controller
}

/** The object to reconcile. It may be deleted already. */
export interface ReconcileRequest {
  readonly name: string
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string
}

export interface ReconcileResult {
  /** Reconciles the object again after this time: `'10m'`, or milliseconds. */
  readonly requeueAfter?: string | number
}

/** The part of the cluster that a reconciler may use. */
export interface ReconcileContext {
  readonly client: ObjectClient
  /** The cluster's time in milliseconds since the epoch. */
  now(): number
  /** Waits in virtual time. */
  sleep(duration: string | number): Promise<void>
}

/** A controller in the usual form of operators: an asynchronous function of the name of an object. */
export interface ReconcilerDefinition {
  readonly kind: 'reconciler'
  readonly name: string
  readonly for: string
  readonly owns: readonly string[]
  readonly watches: Readonly<Record<string, (object: KubeObject) => readonly ReconcileRequest[]>>
  readonly workers: number
  readonly reconcile: (request: ReconcileRequest, context: ReconcileContext) => Promise<ReconcileResult | undefined>
  readonly onError: ((error: unknown, request: ReconcileRequest) => void) | undefined
}

export type ControllerDefinition = StepControllerDefinition | ReconcilerDefinition

/** Whether the value comes from `defineController` or `defineReconciler`. */
export function isDefinition(value: unknown): value is ControllerDefinition {
  const { kind } = (value ?? {}) as Partial<ControllerDefinition>
  return kind === 'step' || kind === 'reconciler'
}

/** The parameter of `defineController`. */
export interface ControllerSource {
  readonly name: string
  /** The resources to watch. `resource` of a change is the full name: `pods`, `deployments.apps`. */
  readonly watches: readonly ServedResource[]
  /** Called for every cluster and fork, so that the state of the controller is in its closure. Returns the step. */
  readonly start: () => (input: StepInput) => StepOutput
}

/** Defines a controller with the contract of the built-in controllers: a synchronous step from changes to actions. */
export function defineController(definition: ControllerSource): StepControllerDefinition {
  checkMembers('defineController', definition, ['name', 'watches', 'start'])
  const { name, watches, start } = definition
  checkText('defineController: name', name)
  checkList(`controller ${name}: watches`, watches)
  checkFunction(`controller ${name}: start`, start)
  return { kind: 'step', name, create: () => ({ name, watches, step: start() }) }
}

/** The parameter of `defineReconciler`. */
export interface ReconcilerSource<R extends ServedResource = ServedResource> {
  readonly name: string
  /** The resource of the reconciled objects. */
  readonly for: R
  /** Resources whose objects have a controller reference to a reconciled object. */
  readonly owns?: readonly ServedResource[]
  /** Other resources. The function maps a changed object to the objects to reconcile. */
  readonly watches?: { readonly [W in ServedResource]?: (object: ObjectNamed<W>) => readonly ReconcileRequest[] }
  /** The number of objects that are reconciled at the same time. Default: 1. */
  readonly workers?: number
  /**
   * Called with the name of an object whenever the object, an object that it owns, or another watched object changes. A
   * rejection is retried with exponential backoff.
   */
  readonly reconcile: (request: ReconcileRequest, context: ReconcileContext) => Promise<ReconcileResult | undefined>
  /** Called for every rejection of `reconcile`. */
  readonly onError?: (error: unknown, request: ReconcileRequest) => void
}

const reconcilerMembers: readonly (keyof ReconcilerSource)[] = [
  'name',
  'for',
  'owns',
  'watches',
  'workers',
  'reconcile',
  'onError',
]

/** Defines a controller by an asynchronous function of the name of an object. */
export function defineReconciler<R extends ServedResource>(definition: ReconcilerSource<R>): ReconcilerDefinition {
  checkMembers('defineReconciler', definition, reconcilerMembers)
  const { name, owns = [], watches = {}, workers = 1, reconcile, onError } = definition
  checkText('defineReconciler: name', name)
  checkText(`reconciler ${name}: for`, definition.for)
  checkList(`reconciler ${name}: owns`, owns)
  checkFunction(`reconciler ${name}: reconcile`, reconcile)
  if (onError !== undefined) checkFunction(`reconciler ${name}: onError`, onError)
  for (const [resource, requests] of Object.entries(watches))
    checkFunction(`reconciler ${name}: watches.${resource}`, requests)
  if (!Number.isInteger(workers) || workers < 1)
    throw new ClusterOptionError(`reconciler ${name}: workers: ${shown(workers)} must be an integer > 0`)
  return {
    kind: 'reconciler',
    name,
    for: definition.for,
    owns,
    watches: watches as ReconcilerDefinition['watches'],
    workers,
    reconcile,
    onError,
  }
}
