import type { Call, Outcome } from '../../../src/api/call.ts'
import type { KubernetesRelease } from '../../../src/api/releases/kubernetes-release.ts'
import { releaseOf } from '../../../src/api/releases/release-of.ts'
import { conflict, failure, notFound } from '../../../src/api/status.ts'
import { must } from '../../../src/base/result.ts'
import type { Answer, Ask } from '../../../src/runtime/controller.ts'
import type { ExtenderConfiguration } from '../../../src/scheduler/config/scheduler-configuration.ts'
import type { PermitAnswer, Profile } from '../../../src/scheduler/contract/contract.ts'
import { ActionType, definePlugin, ok, unresolvable, unschedulable } from '../../../src/scheduler/contract/contract.ts'
import { assembleProfile, defaultPlugins } from '../../../src/scheduler/plugins/default-plugins.ts'
import { type SchedulerStory, type StoryOptions, storyRelease } from './story.ts'

/** The scheduler options of stories that need other than the defaults. `NAME-1.34` is NAME in another release. */
export function specialOptions(file: string): StoryOptions {
  const [, named, version] = /^(.*)-(\d+\.\d+)$/.exec(file) ?? []
  const story = named ?? file
  const release = version === undefined ? storyRelease : must(releaseOf(version))
  const made = optionsByStory[story]?.(release) ?? {}
  const special = version === undefined ? made : { ...made, scheduler: { ...made.scheduler, release } }
  return story.startsWith('legacy-') ? { ...special, scheduler: { ...special.scheduler, mode: 'legacy' } } : special
}

function profileWith(
  plugin: Parameters<typeof assembleProfile>[1][number]['plugin'],
  release: KubernetesRelease = storyRelease,
): Profile {
  const plugins = defaultPlugins(release).map(({ weight, create }) => ({
    plugin: create(undefined, release),
    weight,
  }))
  return assembleProfile('default-scheduler', [...plugins, { plugin, weight: 1 }])
}

/** Pods of one crew start together: the first pods wait for the others for at most ten seconds. */
function crew(size: number, release: KubernetesRelease): Profile {
  const present = new Set<string>()
  return profileWith(
    definePlugin({
      name: 'Crew',
      permit: ({ pod, uid }): PermitAnswer => {
        if (pod.metadata.labels?.['app'] !== 'crew') return ok
        present.add(uid)
        return present.size >= size ? ok : { code: 'Wait', reasons: ['the crew is not complete'], timeoutMs: 10_000 }
      },
      unreserve: ({ uid }) => void present.delete(uid),
      reserve: () => ok,
      wakeOn: [{ on: { resource: 'Node', action: 1 } }],
    }),
    release,
  )
}

/** PreBind that takes five seconds. */
function slowBinding(release: KubernetesRelease): Profile {
  const started = new Map<string, number>()
  return profileWith(
    definePlugin({
      name: 'Slow',
      preBindPreFlight: ({ pod }) => (pod.metadata.labels?.['app'] === 'slow' ? ok : { code: 'Skip', reasons: [] }),
      preBind: ({ uid }, _node, _state, { now }) => {
        const at = started.get(uid) ?? now
        started.set(uid, at)
        return now >= at + 5_000 ? { kind: 'done' } : { kind: 'waiting', deadlineAt: at + 5_000 }
      },
    }),
    release,
  )
}

/** The first bindings of a pod fail. */
function failingBinds(times: number, fail: (call: Call) => Outcome): StoryOptions {
  let left = times
  return {
    fails: (call) => {
      if (call.verb !== 'create' || call.subresource !== 'binding' || left === 0) return undefined
      left--
      return fail(call)
    },
  }
}

const extender = (change: Partial<ExtenderConfiguration> = {}): ExtenderConfiguration => ({
  urlPrefix: 'http://extender.example/',
  filterVerb: 'filter',
  preemptVerb: '',
  prioritizeVerb: '',
  bindVerb: '',
  weight: 1,
  enableHTTPS: false,
  httpTimeoutMs: 1_000,
  nodeCacheCapable: true,
  managedResources: [],
  ignorable: false,
  ...change,
})

function answers(
  handle: (verb: string, args: never, story: SchedulerStory) => Answer['outcome'],
): NonNullable<StoryOptions['answer']> {
  return (ask: Ask, story) => {
    if (ask.request.kind !== 'http') return undefined
    return handle(ask.request.url.split('/').at(-1) ?? '', JSON.parse(ask.request.body ?? '{}') as never, story)
  }
}

interface Asked {
  readonly Pod: { readonly metadata: { readonly name: string } }
  readonly NodeNames: readonly string[]
}

interface Candidates {
  readonly NodeNameToMetaVictims: Readonly<Record<string, unknown>>
}

const said = (value: unknown): Answer['outcome'] => ({ kind: 'ok', value })

const optionsByStory: Readonly<Record<string, (release: KubernetesRelease) => StoryOptions>> = {
  'permit-crew': (release) => ({ scheduler: { profiles: [crew(3, release)] } }),
  'permit-timeout': (release) => ({ scheduler: { profiles: [crew(2, release)] } }),
  'permit-deleted': (release) => ({ scheduler: { profiles: [crew(2, release)] } }),
  'permit-preempted': (release) => ({ scheduler: { profiles: [crew(2, release)] } }),
  'event-during-attempt': (release) => ({ scheduler: { profiles: [crew(2, release)] } }),
  'slow-binding': (release) => ({ scheduler: { profiles: [slowBinding(release)] } }),
  'slow-binding-preempted': (release) => ({ scheduler: { profiles: [slowBinding(release)] } }),
  'bind-failure': () => failingBinds(1, () => conflict('pods', 'first', 'somebody was faster')),
  'bind-timeout': () => failingBinds(1, () => failure('Timeout', 'request did not complete within the allotted time')),
  'legacy-node-not-found': () => failingBinds(1, () => notFound('nodes', 'n1')),
  'reserve-refused': () => ({
    scheduler: {
      profiles: [
        profileWith(
          definePlugin({
            name: 'Ledger',
            reserve: ({ pod }) => (pod.metadata.name === 'p' ? unschedulable('the ledger is closed') : ok),
            wakeOn: [{ on: { resource: 'Node', action: 1 } }],
          }),
        ),
      ],
    },
  }),
  'extender-filter': () => ({
    scheduler: { extenders: [extender({ prioritizeVerb: 'prioritize', weight: 5 })] },
    answer: answers((verb, { NodeNames }: Asked) =>
      verb === 'prioritize'
        ? said(NodeNames.map((Host) => ({ Host, Score: Host === 'n3' ? 10 : 0 })))
        : said({ NodeNames: NodeNames.filter((name) => name !== 'n1'), FailedNodes: { n1: 'not to my taste' } }),
    ),
  }),
  'extender-refuses-nominated': () => ({
    scheduler: { extenders: [extender()] },
    answer: answers((_verb, { NodeNames }: Asked) =>
      said({ NodeNames: NodeNames.filter((name) => name !== 'n1'), FailedNodes: { n1: 'not to my taste' } }),
    ),
  }),
  'extender-silent-refusal': () => ({
    scheduler: { extenders: [extender()] },
    // It leaves a node out without a word.
    answer: answers(() => said({ NodeNames: [] })),
  }),
  'extender-event': () => ({
    scheduler: { extenders: [extender()] },
    answer: answers((_verb, { Pod }: Asked, story) => {
      // The node is added while the extender thinks.
      if (Pod.metadata.name === 'p' && story.pod('p')?.status?.conditions === undefined)
        story.meanwhile(['node n2 cpu=4'])
      return said({ NodeNames: [], FailedNodes: { n1: 'no', n2: 'no' } })
    }),
  }),
  'extender-preempts': () => ({
    scheduler: { extenders: [extender({ filterVerb: '', preemptVerb: 'preempt' })] },
    // Whatever the scheduler would take, n2 is spared.
    answer: answers((_verb, { NodeNameToMetaVictims: { n2: _spared, ...rest } }: Candidates) =>
      said({ NodeNameToMetaVictims: rest }),
    ),
  }),
  'extender-fails': () => ({
    scheduler: { extenders: [extender()] },
    answer: answers(() => ({ kind: 'timeout' })),
  }),
  'extender-fails-nominated': () => ({
    scheduler: { extenders: [extender()] },
    answer: answers(() => ({ kind: 'timeout' })),
  }),
  'bind-failure-nominated': () => failingBinds(1, () => conflict('pods', 'p', 'somebody was faster')),
  'node-condition-heard': () => ({
    scheduler: {
      profiles: [
        profileWith(
          definePlugin({
            name: 'Healthy',
            filter: (_pod, { node }) =>
              node.status?.conditions?.some(({ type, status }) => type === 'Disk' && status === 'True') === true
                ? ok
                : unresolvable('node(s) had no healthy disk'),
            wakeOn: [{ on: { resource: 'Node', action: ActionType.UpdateNodeCondition } }],
          }),
        ),
      ],
    },
  }),
  'extender-ignored': () => ({ scheduler: { extenders: [extender({ ignorable: true })] } }),
  'extender-binds': () => ({
    scheduler: { extenders: [extender({ filterVerb: '', bindVerb: 'bind' })] },
    answer: answers((_verb, args: { PodName: string; Node: string }, story) => {
      story.meanwhile([`bind ${args.PodName} ${args.Node}`])
      return args.PodName === 'late' ? { kind: 'timeout' } : said({})
    }),
  }),
}
