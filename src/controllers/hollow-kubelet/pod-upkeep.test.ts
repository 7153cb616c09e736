import { describe, expect, it } from 'vitest'
import type { Node } from '../../api/objects/node.ts'
import type { Pod, PodStatus } from '../../api/objects/pod.ts'
import { exitCodeOf, sleepMs, stopMs } from './container-programs.ts'
import { decideAdmission } from './kubelet-admission.ts'
import { completedStatus, deadlineOf, decideUpkeep, failedStatus } from './pod-upkeep.ts'

const now = '2026-01-01T00:00:10Z'

const pod = (spec: object = {}, status: PodStatus = {}, generation = 1): Pod =>
  ({
    metadata: { name: 'p', namespace: 'default', uid: 'u', generation },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
    status,
  }) as Pod

const requesting = (cpu: string) => ({ containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }] })

const node = (more: object = {}): Node =>
  ({
    metadata: { name: 'node', labels: { 'kubernetes.io/os': 'linux', zone: 'a' } },
    status: { allocatable: { cpu: '2', memory: '1Gi', pods: '2' } },
    ...more,
  }) as Node

describe('the admission of a kubelet', () => {
  const port = (hostPort: number) => ({
    containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 1, hostPort }] }],
  })

  it.each<[string, Pod, readonly Pod[], string | undefined]>([
    ['admits a pod that fits', pod(requesting('2')), [], undefined],
    [
      'counts CPU in thousandths',
      pod(requesting('1')),
      [pod(requesting('1500m'))],
      "OutOfcpu: Node didn't have enough resource: cpu, requested: 1000, used: 1500, capacity: 2000",
    ],
    [
      'counts pods',
      pod(),
      [pod(), pod()],
      "OutOfpods: Node didn't have enough resource: pods, requested: 1, used: 2, capacity: 2",
    ],
    [
      'checks the OS field',
      pod({ os: { name: 'windows' } }),
      [],
      "PodOSNotSupported: Failed to admit pod as the OS field doesn't match node OS",
    ],
    [
      'checks the label of the OS',
      pod({ nodeSelector: { 'kubernetes.io/os': 'windows' } }),
      [],
      "PodOSSelectorNodeLabelDoesNotMatch: Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    ],
    [
      'checks the node selector',
      pod({ nodeSelector: { zone: 'b' } }),
      [],
      "NodeAffinity: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ],
    [
      'checks host ports',
      pod(port(80)),
      [pod(port(80))],
      "NodePorts: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
    ],
  ])('the admission of a kubelet %s', (_, wanted, others, expected) => {
    const rejection = decideAdmission(wanted, node(), others)
    expect(rejection === undefined ? undefined : `${rejection.reason}: ${rejection.message}`).toBe(expected)
  })

  it('rejects pods that do not tolerate a NoExecute taint', () => {
    const tainted = node({
      spec: {
        taints: [
          { key: 'k', effect: 'NoExecute' },
          { key: 's', effect: 'NoSchedule' },
        ],
      },
    })
    expect(decideAdmission(pod(), tainted, [])?.reason).toBe('TaintToleration')
    expect(decideAdmission(pod({ tolerations: [{ key: 'k', operator: 'Exists' }] }), tainted, [])).toBeUndefined()
  })
})

describe('the status of a pod', () => {
  const ready = { type: 'ContainersReady', status: 'True' } as const

  it('the status of a pod has the generation that the kubelet has seen, also in conditions', () => {
    const status = completedStatus(pod({}, {}, 3), { phase: 'Running', conditions: [ready] }, now)
    expect(status).toMatchObject({ observedGeneration: 3, conditions: [{ observedGeneration: 3 }] })
    const bound = pod({}, { conditions: [{ type: 'PodScheduled', status: 'True' }] }, 3)
    expect(completedStatus(bound, { phase: 'Running', conditions: [ready] }, now).conditions).toMatchObject([
      { type: 'ContainersReady', observedGeneration: 3 },
      { type: 'PodScheduled', status: 'True', observedGeneration: 3 },
    ])
    expect(completedStatus(bound, { phase: 'Pending', conditions: [] }, now).conditions).toMatchObject([
      { type: 'PodScheduled', status: 'True', observedGeneration: 3 },
    ])
    const started = { phase: 'Running', conditions: [ready] } as const
    const pending = pod({}, { phase: 'Pending', conditions: [{ type: 'Initialized', status: 'True' }] }, 3)
    expect(completedStatus(pending, started, now).conditions).toMatchObject([
      { type: 'ContainersReady', observedGeneration: 3 },
      { type: 'Initialized', status: 'True', observedGeneration: 3 },
    ])
    const running = pod({}, { phase: 'Running', observedGeneration: 3, conditions: [ready] }, 4)
    expect(decideUpkeep(running, now)).toMatchObject({ observedGeneration: 4, conditions: [{ observedGeneration: 4 }] })
    expect(decideUpkeep(pod({}, { phase: 'Running', observedGeneration: 4 }, 4), now)).toBeUndefined()
  })

  it('the status of a pod is ready when all readiness gates are', () => {
    const gates = { readinessGates: [{ conditionType: 'a' }, { conditionType: 'b' }] }
    const conditions = [ready, { type: 'a', status: 'False' } as const]
    const waiting = pod(gates, { phase: 'Running', observedGeneration: 1, conditions })
    expect(decideUpkeep(waiting, now)?.conditions).toMatchObject([
      {
        type: 'Ready',
        status: 'False',
        reason: 'ReadinessGatesNotReady',
        message:
          'the status of pod readiness gate "a" is not "True", but False, corresponding condition of pod readiness gate "b" does not exist.',
      },
    ])
    const open = [ready, { type: 'a', status: 'True' } as const, { type: 'b', status: 'True' } as const]
    const done = pod(gates, { phase: 'Running', observedGeneration: 1, conditions: open })
    expect(decideUpkeep(done, now)?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }])
  })

  it('reports sidecars and ephemeral containers as running', () => {
    const sidecar = { name: 's', image: 'i', restartPolicy: 'Always' }
    const initContainerStatuses = [
      { name: 's', image: 'i', imageID: 'i', ready: true, restartCount: 0, state: { terminated: { exitCode: 0 } } },
    ]
    const status = completedStatus(
      pod({ initContainers: [sidecar], ephemeralContainers: [{ name: 'e', image: 'i' }] }),
      { phase: 'Running', initContainerStatuses },
      now,
    )
    expect(status.initContainerStatuses).toMatchObject([{ started: true, state: { running: {} } }])
    expect(status.ephemeralContainerStatuses).toMatchObject([{ name: 'e', state: { running: { startedAt: now } } }])
  })

  it('fails a pod when its active deadline has passed', () => {
    const active = pod({ activeDeadlineSeconds: 5 }, { phase: 'Running', startTime: '2026-01-01T00:00:00Z' })
    expect(deadlineOf(active)).toBe(Date.parse('2026-01-01T00:00:05Z'))
    const failed = failedStatus(active, { reason: 'DeadlineExceeded', message: 'm' }, now)
    expect(failed).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' })
  })
})

describe('the exit code of a pod', () => {
  const commands = (...all: readonly (readonly string[])[]) =>
    pod({ containers: all.map((command, at) => ({ name: `c${at}`, command })) })

  it.each([
    [['true'], 0],
    [['/bin/false'], 1],
    [['/bin/sh', '-c', 'exit 3'], 3],
    [['sh', '-c', ' exit; '], 0],
    [['bash', '-ec', 'exit 256'], 0],
    [['sh', '-c', 'exit 1 || true'], undefined],
    [['sh', '-c', 'work && exit 1'], undefined],
    [['sh', '-c', 'exit $CODE'], undefined],
    [['toString'], undefined],
    [[], undefined],
  ] as const)('the exit code of the command %j is %s', (command, code) => {
    expect(exitCodeOf(commands(command))).toBe(code)
  })

  it('the exit code of a pod is the code of the first container that fails, if all containers end', () => {
    expect(exitCodeOf(commands(['true'], ['sh', '-c', 'exit 4'], ['false']))).toBe(4)
    expect(exitCodeOf(commands(['false'], ['sleep', '60']))).toBeUndefined()
  })
})

describe('the time that a pod takes', () => {
  it('the time that a pod takes is the time of its sleep command', () => {
    expect(sleepMs(pod({ containers: [{ name: 'c', command: ['sleep', '300'] }] }))).toBe(300_000)
    expect(sleepMs(pod({ containers: [{ name: 'c', command: ['sleep'], args: ['1'] }] }))).toBe(1_000)
    expect(sleepMs(pod({ containers: [{ name: 'c', command: ['sh', '-c', 'sleep 1'] }] }))).toBeUndefined()
    expect(sleepMs(pod({ containers: [{ name: 'c', image: 'example.com/pause:3.10' }] }))).toBe(
      Number.POSITIVE_INFINITY,
    )
    expect(sleepMs(pod({ containers: [{ name: 'c', image: 'pauses' }] }))).toBeUndefined()
    const script = (text: string) => pod({ containers: [{ name: 'c', command: ['/bin/sh', '-c', text] }] })
    expect(sleepMs(script('while true; do sleep 1; done'))).toBe(Number.POSITIVE_INFINITY)
    expect(sleepMs(script('echo done'))).toBeUndefined()
  })

  it('the time that a pod takes to stop is the time of its preStop hook, or its whole grace period', () => {
    const hook = (preStop: object) => pod({ containers: [{ name: 'c', lifecycle: { preStop } }] })
    expect(stopMs(pod())).toBeUndefined()
    expect(stopMs(hook({ sleep: { seconds: 7 } }))).toBe(7_000)
    expect(stopMs(hook({ exec: { command: ['x'] } }))).toBe(Number.POSITIVE_INFINITY)
  })

  it('the time that a pod takes to stop is the whole grace period of a script that handles SIGTERM by more than an exit', () => {
    const script = (text: string) => pod({ containers: [{ name: 'c', command: ['/bin/sh', '-c'], args: [text] }] })
    expect(stopMs(script('trap finish SIGTERM\nwhile true; do sleep 1; done'))).toBe(Number.POSITIVE_INFINITY)
    expect(stopMs(script('trap exit TERM; while true; do sleep 1; done'))).toBeUndefined()
  })
})
