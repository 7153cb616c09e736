import { describe, expect, it } from 'vitest'
import type { Pod } from '../../api/objects/pod.ts'
import { clusterPorts, start } from '../../client/cluster-ports.fixture.ts'
import { createStepDriver } from '../../runtime/step-driver.ts'
import { createHollowKubelet } from './controller.ts'
import { hollowAnnotations } from './hollow-names.ts'
import { packs } from './packs.ts'
import { programStages } from './program-stages.ts'

interface Given {
  readonly command: readonly string[]
  readonly inits?: readonly (readonly string[])[]
  readonly restartPolicy: string
  readonly isDeleted?: boolean
  readonly annotations?: Readonly<Record<string, string>>
}

/**
 * The status of a pod on a hollow node some seconds after its creation, or its last status if it was deleted earlier.
 */
function statusAfter(
  seconds: number,
  { command, inits = [], restartPolicy, annotations = {}, isDeleted = false }: Given,
) {
  const { store, clock, random, client, must } = clusterPorts(['default', 'kube-node-lease'])
  const kubelet = createHollowKubelet({ reports: 'complete', stages: [...programStages, ...packs.fast] })
  const driver = createStepDriver({ client, source: store, clock, random, controllers: [kubelet] })
  must({ verb: 'create', resource: 'nodes', object: { metadata: { name: 'a' } } })
  driver.settle()
  const initContainers = inits.map((one, at) => ({ name: `init${at + 1}`, image: 'busybox', command: one }))
  const containers = [{ name: 'c', image: 'busybox', command }]
  const spec = { nodeName: 'a', restartPolicy, containers, ...(inits.length === 0 ? {} : { initContainers }) }
  const object = { metadata: { name: 'p', annotations }, spec } as unknown as Pod
  must({ verb: 'create', resource: 'pods', namespace: 'default', object })
  driver.advanceTo(start + seconds * 1000)
  if (!isDeleted) return (store.get('pods', 'default/p') as Pod).status
  let last: Pod['status']
  driver.onChanges((changes) => {
    for (const { resource, before, after } of changes)
      if (resource === 'pods') last = ((after ?? before) as Pod | undefined)?.status
  })
  must({ verb: 'delete', resource: 'pods', namespace: 'default', name: 'p' })
  driver.advance(60_000)
  expect(store.get('pods', 'default/p')).toBeUndefined()
  return last
}

describe('a pod on a hollow node whose command ends at once', () => {
  it('a pod whose command fails immediately fails with the exit code if it is never restarted', () => {
    const status = statusAfter(5, { command: ['sh', '-c', 'exit 42'], restartPolicy: 'Never' })
    expect(status?.phase).toBe('Failed')
    expect(status?.containerStatuses?.[0]?.state).toMatchObject({ terminated: { exitCode: 42, reason: 'Error' } })
  })

  it.each(['Never', 'OnFailure'])(
    'a pod whose command ends immediately succeeds if the code is 0, with the restart policy %s',
    (restartPolicy) => {
      const status = statusAfter(5, { command: ['/bin/true'], restartPolicy })
      expect(status?.phase).toBe('Succeeded')
      expect(status?.containerStatuses?.[0]?.state).toMatchObject({ terminated: { exitCode: 0, reason: 'Completed' } })
    },
  )

  it.each(['Always', 'OnFailure'])(
    'a pod whose command fails immediately crashes and is restarted with the restart policy %s',
    (restartPolicy) => {
      const failing = { command: ['/bin/false'], restartPolicy }
      const crashed = statusAfter(5, failing)
      expect(crashed?.phase).toBe('Running')
      expect(crashed?.containerStatuses?.[0]).toMatchObject({
        ready: false,
        restartCount: 1,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: { exitCode: 1 } },
      })
      // 10 seconds after the first crash, 20 seconds after the second.
      expect(statusAfter(14, failing)?.containerStatuses?.[0]?.restartCount).toBe(2)
      expect(statusAfter(40, failing)?.containerStatuses?.[0]?.restartCount).toBe(3)
    },
  )

  it('a pod whose command ends immediately ends with its own exit code when it is deleted early', () => {
    const status = statusAfter(0.5, { command: ['false'], restartPolicy: 'Never', isDeleted: true })
    expect(status?.phase).toBe('Failed')
    expect(status?.containerStatuses?.[0]?.state).toMatchObject({ terminated: { exitCode: 1, reason: 'Error' } })
    const done = statusAfter(0.5, { command: ['true'], restartPolicy: 'Never', isDeleted: true })
    expect(done?.phase).toBe('Succeeded')
  })

  it('a pod whose command ends immediately ends as its annotations require, if it has any', () => {
    const annotations = { [hollowAnnotations.runFor]: '3s', [hollowAnnotations.exitCode]: '7' }
    const status = statusAfter(10, { command: ['false'], restartPolicy: 'Never', annotations })
    expect(status?.containerStatuses?.[0]?.state).toMatchObject({ terminated: { exitCode: 7 } })
    expect(statusAfter(2, { command: ['false'], restartPolicy: 'Never', annotations })?.phase).toBe('Running')
  })
})

describe('a pod on a hollow node with an init container that fails', () => {
  const condition = (status: Pod['status'], type: string) => status?.conditions?.find((one) => one.type === type)
  const initializing = [{ name: 'c', ready: false, state: { waiting: { reason: 'PodInitializing' } } }]

  it('a pod with a failing init container fails without starting its containers if it is never restarted', () => {
    const status = statusAfter(5, {
      command: ['true'],
      inits: [['true'], ['sh', '-c', 'exit 9']],
      restartPolicy: 'Never',
    })
    expect(status?.phase).toBe('Failed')
    expect(status?.initContainerStatuses).toMatchObject([
      { name: 'init1', ready: true, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
      { name: 'init2', ready: false, state: { terminated: { exitCode: 9, reason: 'Error' } } },
    ])
    expect(status?.containerStatuses).toMatchObject(initializing)
    expect(condition(status, 'Initialized')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotInitialized',
      message: 'containers with incomplete status: [init2]',
    })
    expect(condition(status, 'Ready')).toMatchObject({ status: 'False', reason: 'PodFailed' })
  })

  it.each(['Always', 'OnFailure'])(
    'a pod with a failing init container stays pending and restarts the init container with the policy %s',
    (restartPolicy) => {
      const failing = { command: ['true'], inits: [['false'], ['true']], restartPolicy }
      const crashed = statusAfter(5, failing)
      expect(crashed?.phase).toBe('Pending')
      expect(crashed?.initContainerStatuses).toMatchObject([
        {
          restartCount: 1,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 1 } },
        },
        { restartCount: 0, ready: false, state: { waiting: { reason: 'PodInitializing' } } },
      ])
      expect(crashed?.containerStatuses).toMatchObject(initializing)
      expect(condition(crashed, 'Initialized')).toMatchObject({
        message: 'containers with incomplete status: [init1 init2]',
      })
      const restarted = statusAfter(11.5, failing)
      expect(restarted?.initContainerStatuses?.[0]).toMatchObject({
        restartCount: 1,
        state: { running: {} },
        lastState: { terminated: { exitCode: 1 } },
      })
      // 10 seconds after the first crash, 20 seconds after the second.
      expect(statusAfter(14, failing)?.initContainerStatuses?.[0]?.restartCount).toBe(2)
      expect(statusAfter(31, failing)?.initContainerStatuses?.[0]?.restartCount).toBe(2)
      expect(statusAfter(40, failing)?.initContainerStatuses?.[0]?.restartCount).toBe(3)
    },
  )

  it('a pod with a failing init container fails without starting its containers when it is deleted early', () => {
    const failing = { command: ['true'], inits: [['false']], restartPolicy: 'Never', isDeleted: true }
    const status = statusAfter(0.5, failing)
    expect(status?.phase).toBe('Failed')
    expect(status?.initContainerStatuses).toMatchObject([{ state: { terminated: { exitCode: 1 } } }])
    expect(status?.containerStatuses).toMatchObject(initializing)
  })

  it('a pod whose init containers succeed ends as its commands require', () => {
    const status = statusAfter(5, { command: ['false'], inits: [['true'], ['migrate']], restartPolicy: 'Never' })
    expect(status?.containerStatuses?.[0]?.state).toMatchObject({ terminated: { exitCode: 1 } })
  })
})
