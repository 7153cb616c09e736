import { describe, expect, it } from 'vitest'
import type { Call, Outcome } from '../../../api/call.ts'
import type { KubeObject } from '../../../api/objects/meta.ts'
import { defaultRelease } from '../../../api/releases/release-of.ts'
import { notFound } from '../../../api/status.ts'
import { createPodParser } from '../../cache/pod-parser.ts'
import type { PluginStatus, PreBindProgress } from '../../contract/contract.ts'
import { claim, FixtureObjects, node, onNodes, podWith, storageClass, volume } from '../volume-cluster.fixture.ts'
import { createVolumeBinding } from './volume-binding.ts'

const selected = 'volume.kubernetes.io/selected-node'
const completedAnnotation = 'pv.kubernetes.io/bind-completed'

/** A pod that goes through Reserve and PreBind while objects change. */
class Story {
  readonly plugin = createVolumeBinding({ bindTimeoutSeconds: 10 }, defaultRelease)
  readonly objects: FixtureObjects
  readonly calls: Call[] = []
  private readonly parser = createPodParser()
  private readonly pods = new Map<string, { pod: ReturnType<Story['parse']>; state: never }>()
  private version = 1
  now = 0

  constructor(tables: Readonly<Record<string, readonly KubeObject[]>>) {
    this.objects = new FixtureObjects({ nodes: [node('n1'), node('n2')], ...tables })
  }

  private parse(name: string, claims: readonly string[]) {
    return this.parser.parse(podWith(name, claims))
  }

  /** The feasible nodes after PreFilter and Filter. */
  filter(name: string, ...claims: string[]): string[] {
    const pod = this.parse(name, claims)
    this.objects.put('pods', pod.pod)
    const answer = this.plugin.preFilter?.(pod, { objects: this.objects } as never)
    if (answer === undefined || !('state' in answer)) throw new Error(JSON.stringify(answer))
    this.pods.set(name, { pod, state: answer.state as never })
    const nodes = this.objects.list('nodes')
    return nodes.flatMap((one) => {
      const status = this.plugin.filter?.(pod, { node: one, name: one.metadata.name } as never, answer.state)
      return status?.code === 'Success' ? [one.metadata.name] : []
    })
  }

  reserve(name: string, on: string): PluginStatus | undefined {
    const { pod, state } = this.of(name)
    return this.plugin.reserve?.(pod, on, state, { objects: this.objects } as never)
  }

  unreserve(name: string, on: string): void {
    const { pod, state } = this.of(name)
    this.plugin.unreserve?.(pod, on, state)
  }

  preFlight(name: string, on: string): string | undefined {
    const { pod, state } = this.of(name)
    return this.plugin.preBindPreFlight?.(pod, on, state).code
  }

  /** Runs PreBind, executes its writes immediately, and passes the outcomes to the next turns. */
  preBind(name: string, on: string, refuse?: Outcome): string {
    const { pod, state } = this.of(name)
    let outcomes: { call: Call; outcome: Outcome }[] = []
    for (;;) {
      const turn = { objects: this.objects, now: this.now, outcomes }
      const progress = this.plugin.preBind?.(pod, on, state, turn) as PreBindProgress
      if (progress.kind === 'failed') return progress.status.reasons.join()
      if (progress.kind === 'done') return 'done'
      if (progress.calls === undefined) return `until ${progress.deadlineAt}`
      outcomes = progress.calls.map((call) => ({ call, outcome: refuse ?? this.write(call) }))
    }
  }

  /** Changes an object as another client would. */
  change(resource: 'persistentvolumes' | 'persistentvolumeclaims', key: string, change: (now: never) => object): void {
    const present = this.objects.get(resource, key) as KubeObject
    const changed = change(present as never) as KubeObject
    const metadata = { ...changed.metadata, resourceVersion: String(++this.version) }
    this.objects.put(resource, { ...changed, metadata } as KubeObject)
  }

  bind(key: string, volumeName: string): void {
    this.change('persistentvolumeclaims', key, (now: KubeObject & { spec: object }) => ({
      ...now,
      metadata: { ...now.metadata, annotations: { ...now.metadata.annotations, [completedAnnotation]: 'yes' } },
      spec: { ...now.spec, volumeName },
    }))
  }

  private write(call: Call): Outcome {
    if (call.verb !== 'update') throw new Error(call.verb)
    this.calls.push(call)
    const object = { ...call.object, metadata: { ...call.object.metadata, resourceVersion: String(++this.version) } }
    this.objects.put(call.resource, object)
    return { ok: true, kind: 'object', object }
  }

  private of(name: string) {
    const found = this.pods.get(name)
    if (found === undefined) throw new Error(`no pod ${name}`)
    return found
  }
}

const local = storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' })
const classes = { 'storageclasses.storage.k8s.io': [local, storageClass('fast')] }
const withVolumes = () =>
  new Story({
    ...classes,
    persistentvolumes: [
      volume('v1', { storageClassName: 'local', ...onNodes('n1') }),
      volume('v2', { storageClassName: 'local', ...onNodes('n2') }),
    ],
    persistentvolumeclaims: [claim('a', { storageClassName: 'local' }), claim('b', { storageClassName: 'local' })],
  })
const withClass = () => new Story({ ...classes, persistentvolumeclaims: [claim('a', { storageClassName: 'fast' })] })

describe('binding of existing volumes', () => {
  it('claims an existing volume and waits until the volume binder has bound it', () => {
    const story = withVolumes()
    expect(story.filter('p', 'a')).toEqual(['n1', 'n2'])
    expect(story.reserve('p', 'n2')?.code).toBe('Success')
    expect(story.preFlight('p', 'n2')).toBe('Success')
    expect(story.preBind('p', 'n2')).toBe('until 1000')
    expect(story.calls).toMatchObject([
      {
        verb: 'update',
        resource: 'persistentvolumes',
        name: 'v2',
        object: {
          spec: { claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'a', uid: 'uid-a' } },
        },
      },
    ])
    story.bind('default/a', 'v2')
    expect(story.preBind('p', 'n2')).toBe('until 1000')
    story.now = 1000
    expect(story.preBind('p', 'n2')).toBe('done')
  })

  it('does not assign an assumed volume to the next pod and frees it when the pod is unreserved', () => {
    const story = withVolumes()
    story.filter('p', 'a')
    story.reserve('p', 'n2')
    expect(story.filter('q', 'b')).toEqual(['n1'])
    story.unreserve('p', 'n2')
    expect(story.filter('q', 'b')).toEqual(['n1', 'n2'])
  })

  it('refuses to reserve a volume that changed since Filter', () => {
    const story = withVolumes()
    story.filter('p', 'a')
    story.change('persistentvolumes', 'v2', (now: object) => now)
    expect(story.reserve('p', 'n2')).toMatchObject({
      code: 'Error',
      reasons: ['"v2" is out of sync (stored: 2, assume: 1)'],
    })
  })

  it('fails the pod when the API server refuses the write', () => {
    const story = withVolumes()
    story.filter('p', 'a')
    story.reserve('p', 'n2')
    const outcome: Outcome = notFound('persistentvolumes', 'v2')
    expect(story.preBind('p', 'n2', outcome)).toBe('persistentvolumes "v2" not found')
  })

  it.each([
    [
      'the claimRef of the volume is removed',
      (s: Story) =>
        s.change('persistentvolumes', 'v2', ({ spec, ...rest }: { spec: { claimRef?: object } }) => {
          const { claimRef: _, ...left } = spec
          return { ...rest, spec: left }
        }),
      'binding volumes: ClaimRef got reset for pv "v2"',
    ],
    [
      'moved',
      (s: Story) =>
        s.change('persistentvolumes', 'v2', (v: { spec: object }) => ({ ...v, spec: { ...v.spec, ...onNodes('n1') } })),
      'binding volumes: pv "v2" node affinity doesn\'t match node "n2": no matching NodeSelectorTerms',
    ],
    [
      'deleted',
      (s: Story) => s.objects.remove('persistentvolumes', 'v2'),
      'binding volumes: failed to check binding: persistentvolumes "v2" not found',
    ],
    [
      'the claim is deleted',
      (s: Story) => s.objects.remove('persistentvolumeclaims', 'default/a'),
      'binding volumes: failed to check binding: persistentvolumeclaims "default/a" not found',
    ],
    [
      'the node is deleted',
      (s: Story) => s.objects.remove('nodes', 'n2'),
      'binding volumes: failed to get node "n2": node "n2" not found',
    ],
    [
      'the pod is deleted',
      (s: Story) => s.objects.remove('pods', 'default/p'),
      'binding volumes: pod does not exist any more: pod "p" not found',
    ],
  ])('fails the pod when %s', (_, happens, message) => {
    const story = withVolumes()
    story.filter('p', 'a')
    story.reserve('p', 'n2')
    expect(story.preBind('p', 'n2')).toBe('until 1000')
    happens(story)
    story.now = 1000
    expect(story.preBind('p', 'n2')).toBe(message)
  })

  it('fails the pod when the volume is not bound before the timeout', () => {
    const story = withVolumes()
    story.filter('p', 'a')
    story.reserve('p', 'n2')
    story.preBind('p', 'n2')
    story.now = 9500
    expect(story.preBind('p', 'n2')).toBe('until 10000')
    story.now = 10_000
    expect(story.preBind('p', 'n2')).toBe('binding volumes: context deadline exceeded')
  })
})

describe('provisioning of volumes', () => {
  it('requests a volume for the selected node and waits for it', () => {
    const story = withClass()
    expect(story.filter('p', 'a')).toEqual(['n1', 'n2'])
    story.reserve('p', 'n1')
    expect(story.preBind('p', 'n1')).toBe('until 1000')
    expect(story.calls).toMatchObject([
      { resource: 'persistentvolumeclaims', name: 'a', object: { metadata: { annotations: { [selected]: 'n1' } } } },
    ])
    story.now = 1000
    expect(story.preBind('p', 'n1')).toBe('until 2000')
    story.bind('default/a', 'made')
    story.now = 2000
    // The claim may be observed before its volume.
    expect(story.preBind('p', 'n1')).toBe('until 3000')
    story.objects.put('persistentvolumes', volume('made', onNodes('n1')))
    story.now = 3000
    expect(story.preBind('p', 'n1')).toBe('done')
  })

  it('places a second pod with the same claim on the same node', () => {
    const story = withClass()
    story.filter('p', 'a')
    story.reserve('p', 'n1')
    expect(story.filter('q', 'a')).toEqual(['n1'])
    story.unreserve('p', 'n1')
    expect(story.filter('q', 'a')).toEqual(['n1', 'n2'])
  })

  it.each([
    [
      'the selected-node annotation names another node',
      { [selected]: 'n2' },
      'binding volumes: provisioning failed for PVC "a"',
    ],
    ['the selected-node annotation is removed', { other: 'x' }, 'binding volumes: provisioning failed for PVC "a"'],
    ['all annotations are removed', undefined, 'binding volumes: selectedNode annotation reset for PVC "a"'],
  ])('fails the pod when %s', (_, annotations, message) => {
    const story = withClass()
    story.filter('p', 'a')
    story.reserve('p', 'n1')
    story.preBind('p', 'n1')
    story.change('persistentvolumeclaims', 'default/a', (now: KubeObject) => {
      const { annotations: _old, ...meta } = now.metadata
      return { ...now, metadata: annotations === undefined ? meta : { ...meta, annotations } }
    })
    story.now = 1000
    expect(story.preBind('p', 'n1')).toBe(message)
  })

  it('fails the pod when the provisioned volume is not reachable from the node', () => {
    const story = withClass()
    story.filter('p', 'a')
    story.reserve('p', 'n1')
    story.preBind('p', 'n1')
    story.objects.put('persistentvolumes', volume('made', onNodes('n2')))
    story.bind('default/a', 'made')
    story.now = 1000
    expect(story.preBind('p', 'n1')).toBe(
      'binding volumes: pv "made" node affinity doesn\'t match node "n1": no matching NodeSelectorTerms',
    )
  })
})

describe('pods without volumes to bind', () => {
  it('does not wait for pods without volumes to bind', () => {
    const story = withClass()
    story.bind('default/a', 'v')
    story.objects.put('persistentvolumes', volume('v'))
    story.filter('p', 'a')
    expect(story.reserve('p', 'n1')?.code).toBe('Success')
    expect(story.preFlight('p', 'n1')).toBe('Skip')
  })
  it('opens no column for pods without claims', () => {
    const plugin = createVolumeBinding({}, defaultRelease)
    const pod = createPodParser().parse(podWith('p', [{ emptyDir: {} }]))
    expect(plugin.preFilter?.(pod, {} as never)).toMatchObject({ code: 'Skip' })
    expect(plugin.columns?.open(pod, {} as never)).toBeUndefined()
    expect(plugin.reserve?.(pod, 'n1', undefined, {} as never).code).toBe('Success')
    expect(plugin.preBindPreFlight?.(pod, 'n1', undefined).code).toBe('Skip')
  })
})
