import { parseGoDurationMs } from '../../api/go-duration.ts'
import { compileLabelSelector } from '../../api/label-selector.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { done, type Result } from '../../base/result.ts'
import { exitCodeOf, failingInitOf } from './container-programs.ts'
import { compileFieldPath } from './field-path.ts'
import type { Stage, StageDelay, StageRequirement, StageSelector } from './stage.ts'
import { compileTemplate, type Template } from './template.ts'
import { workloadKey } from './workload-key.ts'

type ObjectTest = (object: KubeObject) => boolean

/** A stage with its selector compiled to a test, and its patch to a function. */
export interface CompiledStage {
  readonly stage: Stage
  /** Tests an object in a phase that the stage admits. */
  readonly selects: ObjectTest
  readonly patch: Template | undefined
}

/** The two fields that nearly every pod stage tests. */
export interface LifePoint {
  readonly phase: string | undefined
  readonly isTerminating: boolean
}

export function compileStage(stage: Stage): Result<CompiledStage> {
  const selects = compileSelector(stage.selector ?? {})
  if (!selects.ok) return selects
  const { next } = stage
  const source = next.kind === 'status' ? next.status : next.kind === 'patch' ? next.patch : undefined
  if (source === undefined) return done({ stage, selects: selects.value, patch: undefined })
  const patch = compileTemplate(source)
  return patch.ok ? done({ stage, selects: selects.value, patch: patch.value }) : patch
}

/** Reports whether a stage can select an object in this phase. Most stages concern one phase only. */
export function admitsPoint({ selector }: Stage, { phase, isTerminating }: LifePoint): boolean {
  return (selector?.fields ?? []).every((requirement) => {
    if (!isOfPoint(requirement)) return true
    const { field, operator, values = [] } = requirement
    if (field === 'metadata.deletionTimestamp') return isTerminating === (operator === 'Exists')
    if (operator === 'In') return isAmong(values, phase)
    return operator === 'NotIn' ? !isAmong(values, phase) : (phase !== undefined) === (operator === 'Exists')
  })
}

/** Reports whether a requirement depends on the phase only. */
function isOfPoint({ field, operator }: StageRequirement): boolean {
  if (field === 'metadata.deletionTimestamp') return operator === 'Exists' || operator === 'DoesNotExist'
  return field === 'status.phase'
}

function compileSelector({ labels, annotations, fields = [], exits }: StageSelector): Result<ObjectTest> {
  const tests: ObjectTest[] = []
  for (const [selector, mapOf] of [
    [labels, (object: KubeObject) => object.metadata.labels],
    [annotations, (object: KubeObject) => object.metadata.annotations],
  ] as const) {
    if (selector === undefined) continue
    const matcher = compileLabelSelector(selector)
    if (!matcher.ok) return matcher
    tests.push((object) => matcher.value.matches(mapOf(object)))
  }
  for (const requirement of fields) {
    const test = compileRequirement(requirement)
    if (!test.ok) return test
    if (!isOfPoint(requirement)) tests.push(test.value)
  }
  if (exits !== undefined) tests.push((object) => exitsLike(object as Pod, exits))
  return done((object) => {
    for (const test of tests) if (!test(object)) return false
    return true
  })
}

function exitsLike(pod: Pod, exits: NonNullable<StageSelector['exits']>): boolean {
  const init = failingInitOf(pod)
  if (exits === 'failing-init' || exits === 'waiting-init')
    return init !== undefined && isCrashed(pod, init.name) === (exits === 'waiting-init')
  const code = init === undefined ? exitCodeOf(pod) : undefined
  return code !== undefined && (code === 0) === (exits === 'succeeding')
}

function isCrashed({ status }: Pod, init: string): boolean {
  const own = status?.initContainerStatuses?.find(({ name }) => name === init)
  return own?.state?.waiting?.reason === 'CrashLoopBackOff'
}

function compileRequirement({ field, operator, values = [] }: StageRequirement): Result<ObjectTest> {
  const reader = compileFieldPath(field)
  if (!reader.ok) return reader
  const read = reader.value
  switch (operator) {
    case 'Exists':
      return done((object) => read(object) !== undefined)
    case 'DoesNotExist':
      return done((object) => read(object) === undefined)
    case 'In':
      return done((object) => isAmong(values, read(object)))
    case 'NotIn':
      return done((object) => !isAmong(values, read(object)))
  }
}

function isAmong(values: readonly string[], value: unknown): boolean {
  return value !== undefined && values.includes(typeof value === 'string' ? value : String(value))
}

export interface DelayQuestion {
  readonly object: KubeObject
  /** The remaining grace period of a terminating pod. */
  readonly graceLeftMs: number
  /** The grace period for pods that would use all of it. */
  readonly stopWithinMs?: number | undefined
  readonly restarts: number
  /** Uniform in [0, 1). */
  readonly draw: () => number
}

export function decideDelay(delay: StageDelay | undefined, question: DelayQuestion): number {
  if (delay === undefined) return 0
  const { object, graceLeftMs, stopWithinMs = Number.POSITIVE_INFINITY } = question
  const written = delay.annotation === undefined ? undefined : object.metadata.annotations?.[delay.annotation]
  const said = written === undefined ? undefined : parseGoDurationMs(written)
  if (said?.ok === true && said.value >= 0)
    return delay.grace === undefined ? said.value : Math.min(said.value, graceLeftMs)
  if (delay.byWorkload !== undefined) {
    const known = delay.byWorkload.get(workloadKey(object)) ?? delay.byWorkload.get('*')
    if (known !== undefined) return known
  }
  if (delay.grace === 'full') return Math.min(graceLeftMs, stopWithinMs)
  const { afterMs = 0, jitterMs = 0, backoff } = delay
  const base =
    backoff === undefined
      ? afterMs
      : Math.min(backoff.initialMs * 2 ** Math.max(0, question.restarts - 1), backoff.maxMs)
  const drawn = jitterMs === 0 ? base : base + Math.round(question.draw() * jitterMs)
  return delay.grace === 'at-most' ? Math.min(drawn, graceLeftMs) : drawn
}
