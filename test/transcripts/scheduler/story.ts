import type { Call, Outcome } from '../../../src/api/call.ts'
import { parseGoDurationMs } from '../../../src/api/go-duration.ts'
import type { JsonObject, KubeObject } from '../../../src/api/objects/meta.ts'
import type { Node } from '../../../src/api/objects/node.ts'
import type { Pod } from '../../../src/api/objects/pod.ts'
import { releaseOf } from '../../../src/api/releases/release-of.ts'
import { createRandom } from '../../../src/base/random.ts'
import { must } from '../../../src/base/result.ts'
import { VirtualClock } from '../../../src/base/virtual-clock.ts'
import { createInProcessClient } from '../../../src/client/in-process-client.ts'
import { createRegistry } from '../../../src/registry/registry.ts'
import type { Answer, Ask, Change } from '../../../src/runtime/controller.ts'
import { createStepDriver } from '../../../src/runtime/step-driver.ts'
import type { SchedulerInspection } from '../../../src/scheduler/observe/inspection.ts'
import type { SchedulerOptions } from '../../../src/scheduler/scheduler.ts'
import { createScheduler } from '../../../src/scheduler/scheduler.ts'
import { createStore } from '../../../src/store/memory-store.ts'
import type { StoryFile } from '../story-file.ts'

/** The transcripts were recorded with v1.36. */
export const storyRelease = must(releaseOf('1.36'))

const start = Date.parse('2026-01-01T00:00:00Z')

export interface StoryOptions {
  readonly scheduler?: SchedulerOptions
  readonly answer?: (ask: Ask, story: SchedulerStory) => Answer['outcome'] | undefined
  /** Calls that fail, and how. */
  readonly fails?: (call: Call) => Outcome | undefined
}

/** A cluster in virtual time with commands and results in short lines. */
export class SchedulerStory {
  private readonly store = createStore()
  private readonly clock = new VirtualClock(start)
  private readonly client
  private readonly driver
  private readonly priorities = new Map<string, number>()
  private readonly polite = new Set<string>()
  private facts: string[] = []

  constructor(options: StoryOptions = {}) {
    const random = createRandom('story')
    // No controller here removes the taint of new nodes.
    const ports = { store: this.store, clock: this.clock, random }
    const registry = createRegistry({
      ...ports,
      options: {
        disabledAdmission: ['TaintNodesByCondition'],
        release: options.scheduler?.release ?? storyRelease,
      },
    })
    const direct = createInProcessClient(registry)
    this.client = { ...direct, callNow: (call: Call) => options.fails?.(call) ?? direct.callNow(call) }
    this.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } })
    this.driver = createStepDriver({
      client: this.client as typeof direct,
      source: this.store,
      clock: this.clock,
      random,
      controllers: [createScheduler({ release: storyRelease, ...options.scheduler })],
      answer: (ask) => options.answer?.(ask, this),
    })
    this.driver.onChanges((changes) => {
      for (const change of changes) this.facts.push(...factsOf(change).map((fact) => `${this.time()} ${fact}`))
    })
    this.driver.settle()
  }

  /** Something that happens in the middle of a step, from outside: it is seen when the step is over. */
  meanwhile(lines: readonly string[]): void {
    for (const line of lines) this.run(line)
  }

  /** Runs lines and returns what happened. */
  tell(lines: readonly string[]): string[] {
    const said: string[] = []
    for (const line of lines) {
      said.push(...this.run(line.trim()))
      this.driver.settle()
    }
    const facts = this.facts
    this.facts = []
    return [...facts, ...said]
  }

  pod(name: string): Pod | undefined {
    return this.store.get('pods', `default/${name}`) as Pod | undefined
  }

  call(call: Call): Outcome {
    const outcome = this.client.callNow(call)
    if (!outcome.ok) throw new Error(`${call.verb} ${call.resource}: ${outcome.status.message}`)
    return outcome
  }

  private time(): string {
    return `${(this.clock.now() - start) / 1000}s`
  }

  private run(line: string): string[] {
    const [verb = '', name = '', ...rest] = line.split(/\s+/)
    switch (verb) {
      case 'node':
        this.create('nodes', node(name, wordsOf(rest)))
        break
      case 'priority':
        this.priorities.set(name, Number(rest[0]))
        this.create('priorityclasses.scheduling.k8s.io', { metadata: { name }, value: Number(rest[0]) } as KubeObject)
        break
      case 'polite':
        this.priorities.set(name, Number(rest[0]))
        this.create('priorityclasses.scheduling.k8s.io', {
          metadata: { name },
          value: Number(rest[0]),
          preemptionPolicy: 'Never',
        } as KubeObject)
        this.polite.add(name)
        break
      case 'pod':
        this.create('pods', this.withPolicy(pod(name, wordsOf(rest), this.priorities)))
        break
      case 'resize':
        this.patch('nodes', name, { status: { allocatable: wordsOf(rest), capacity: wordsOf(rest) } }, 'status')
        break
      case 'label':
        this.patch('nodes', name, { metadata: { labels: wordsOf(rest) } })
        break
      case 'relabel':
        this.patch('pods', name, { metadata: { labels: wordsOf(rest) } })
        break
      case 'taint':
        this.patch('nodes', name, { spec: { taints: rest.map(taint) } })
        break
      case 'untaint':
        this.patch('nodes', name, { spec: { taints: null } })
        break
      case 'cordon':
      case 'uncordon':
        this.patch('nodes', name, { spec: { unschedulable: verb === 'cordon' ? true : null } })
        break
      case 'condition':
        this.patch('nodes', name, { status: { conditions: conditions(wordsOf(rest)) } }, 'status')
        break
      case 'ungate':
        this.patch('pods', name, { spec: { schedulingGates: [] } })
        break
      case 'nominate':
        this.patch(
          'pods',
          name,
          { status: { nominatedNodeName: rest[0] === 'none' ? null : (rest[0] ?? '') } },
          'status',
        )
        break
      case 'delete':
        this.call({ verb: 'delete', resource: 'pods', namespace: 'default', name })
        break
      case 'gone':
        this.call({ verb: 'delete', resource: 'pods', namespace: 'default', name, options: { gracePeriodSeconds: 0 } })
        break
      case 'remove':
        this.call({ verb: 'delete', resource: 'nodes', name })
        break
      case 'start': {
        const startTime = new Date(this.clock.now()).toISOString().replace('.000Z', 'Z')
        this.patch('pods', name, { status: { phase: 'Running', startTime } }, 'status')
        break
      }
      case 'shrink': {
        const containers = [{ name: 'c', resources: { requests: wordsOf(rest) } }]
        this.patch('pods', name, { spec: { containers } }, 'resize', 'strategic')
        break
      }
      case 'finish':
        this.patch('pods', name, { status: { phase: 'Succeeded' } }, 'status')
        break
      case 'bind':
        this.call({
          verb: 'create',
          resource: 'pods',
          namespace: 'default',
          name,
          subresource: 'binding',
          object: { metadata: { name, namespace: 'default' }, target: { kind: 'Node', name: rest[0] } } as KubeObject,
        })
        break
      case 'advance':
        this.driver.advance(must(parseGoDurationMs(name)))
        break
      case 'status': {
        const { nodeName = 'no node' } = this.pod(name)?.spec ?? {}
        return [`${name} on ${nodeName}, nominated to ${this.pod(name)?.status?.nominatedNodeName ?? 'none'}`]
      }
      case 'queue':
        return this.queue()
      default:
        throw new Error(`the story does not know "${verb}"`)
    }
    return []
  }

  private withPolicy(made: Pod): Pod {
    if (!this.polite.has(made.spec.priorityClassName ?? '')) return made
    return { ...made, spec: { ...made.spec, preemptionPolicy: 'Never' } }
  }

  private create(resource: string, object: KubeObject): void {
    const { namespace } = object.metadata
    this.call({ verb: 'create', resource, ...(namespace === undefined ? {} : { namespace }), object })
  }

  private patch(
    resource: 'nodes' | 'pods',
    name: string,
    patch: JsonObject,
    subresource?: string,
    kind: 'merge' | 'strategic' = 'merge',
  ): void {
    this.call({
      verb: 'patch',
      resource,
      ...(resource === 'pods' ? { namespace: 'default' } : {}),
      name,
      ...(subresource === undefined ? {} : { subresource }),
      patch: { kind, patch },
    })
  }

  private queue(): string[] {
    const scheduler = this.driver.controller('scheduler')
    if (scheduler?.inspect === undefined) throw new Error('no scheduler to look into')
    const { queue, bindings, nominations } = scheduler.inspect(this.clock.now()) as SchedulerInspection
    const seconds = (ms: number): string => `${(ms - start) / 1000}s`
    const lines = queue.map(({ pod: key, place, since, because, rejectedBy, gatedBy, backoffUntil }) => {
      const why = [
        ...(rejectedBy.length > 0 ? [`rejected by ${rejectedBy.join(' ')}`] : []),
        ...(gatedBy === undefined ? [] : [`gated by ${gatedBy}`]),
        ...(backoffUntil === undefined ? [] : [`backoff until ${seconds(backoffUntil)}`]),
      ]
      return `${nameOf(key)} ${place} since ${seconds(since)} (${because})${why.length > 0 ? `: ${why.join(', ')}` : ''}`
    })
    for (const { pod: key, node: on, phase, waitsFor } of bindings) {
      lines.push(`${nameOf(key)} on its way to ${on}: ${phase} ${waitsFor.join(' ')}`.trim())
    }
    for (const { pod: key, node: on, victims } of nominations) {
      const waits = victims.length === 0 ? '' : `, waits for ${victims.map(nameOf).sort().join(' ')}`
      lines.push(`${nameOf(key)} nominated to ${on}${waits}`)
    }
    return lines.length === 0 ? ['nothing waits'] : lines
  }
}

/** Runs a story and returns its trace: each line after `>`, and what it caused. */
export function play({ title, lines }: StoryFile, options: StoryOptions = {}): string {
  const story = new SchedulerStory(options)
  const told = lines.map((words) => words.join(' ')).flatMap((line) => [`> ${line}`, ...story.tell([line])])
  return `${[...title.map((line) => `# ${line}`), '', ...told].join('\n')}\n`
}

type Words = Readonly<Record<string, string>>

function wordsOf(words: readonly string[]): Words {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=')
      return at < 0 ? [word, 'true'] : [word.slice(0, at), word.slice(at + 1)]
    }),
  )
}

/** `k:v,l:w` as a map. */
function pairs(text: string | undefined): Words {
  return Object.fromEntries((text ?? '').split(',').flatMap((one) => (one === '' ? [] : [one.split(':')])))
}

function taint(text: string): JsonObject {
  const [key = '', effect = 'NoSchedule'] = text.split(':')
  return { key, effect }
}

function conditions(words: Words): JsonObject[] {
  return Object.entries(words).map(([type, status]) => ({ type, status }))
}

function node(name: string, { cpu = '4', pods = '110', labels, taints, cordoned }: Words): Node {
  const amounts = { cpu, memory: '32Gi', pods }
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...pairs(labels) } },
    spec: {
      ...(taints === undefined ? {} : { taints: taints.split(',').map(taint) as never }),
      ...(cordoned === undefined ? {} : { unschedulable: true }),
    },
    status: { allocatable: amounts, capacity: amounts },
  }
}

function pod(name: string, words: Words, priorities: ReadonlyMap<string, number>): Pod {
  const { cpu, priority, gate, selector, labels, near, far, on, port, tolerates, grace, scheduler } = words
  const term = (app: string) => ({
    labelSelector: { matchLabels: { app } },
    topologyKey: words['topology'] ?? 'kubernetes.io/hostname',
  })
  return {
    metadata: { name, namespace: 'default', ...(labels === undefined ? {} : { labels: pairs(labels) }) },
    spec: {
      containers: [
        {
          name: 'c',
          image: 'pause',
          ...(cpu === undefined ? {} : { resources: { requests: { cpu } } }),
          ...(port === undefined ? {} : { ports: [{ containerPort: Number(port), hostPort: Number(port) }] }),
        },
      ],
      ...(on === undefined ? {} : { nodeName: on }),
      ...(scheduler === undefined ? {} : { schedulerName: scheduler }),
      ...(priority === undefined
        ? {}
        : { priorityClassName: priority, priority: priorities.get(priority) ?? Number.NaN }),
      ...(gate === undefined ? {} : { schedulingGates: [{ name: gate }] }),
      ...(selector === undefined ? {} : { nodeSelector: pairs(selector) }),
      ...(tolerates === undefined ? {} : { tolerations: [{ key: tolerates, operator: 'Exists' as const }] }),
      ...(grace === undefined ? {} : { terminationGracePeriodSeconds: Number(grace) }),
      ...(near === undefined && far === undefined
        ? {}
        : {
            affinity: {
              ...(near && { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(near)] } }),
              ...(far && { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(far)] } }),
            },
          }),
    },
  }
}

function nameOf(key: string): string {
  return key.slice(key.indexOf('/') + 1)
}

/** The description of a change in one line. */
function factsOf({ resource, before, after, key }: Change): string[] {
  if (resource === 'events') return eventFacts(after)
  if (resource !== 'pods') return []
  const old = before as Pod | undefined
  const young = after as Pod | undefined
  const name = nameOf(key)
  if (young === undefined) return [`${name} is gone`]
  const facts: string[] = []
  if (young.spec.nodeName !== undefined && old !== undefined && old.spec.nodeName === undefined) {
    facts.push(`${name} is bound to ${young.spec.nodeName}`)
  }
  const nominated = young.status?.nominatedNodeName
  if (nominated !== old?.status?.nominatedNodeName && young.spec.nodeName === undefined) {
    facts.push(nominated === undefined ? `${name} is no longer nominated` : `${name} is nominated to ${nominated}`)
  }
  for (const condition of young.status?.conditions ?? []) {
    const known = old?.status?.conditions?.find(({ type }) => type === condition.type)
    if (known?.status === condition.status && known?.message === condition.message) continue
    if (condition.type === 'PodScheduled' && condition.status === 'False') {
      facts.push(`${name} ${condition.reason}: ${condition.message}`)
    }
    if (condition.type === 'DisruptionTarget') facts.push(`${name} ${condition.reason}: ${condition.message}`)
  }
  if (young.metadata.deletionTimestamp !== undefined && old?.metadata.deletionTimestamp === undefined) {
    facts.push(`${name} is terminating`)
  }
  return facts
}

interface StoredEvent extends KubeObject {
  readonly reason?: string
  readonly message?: string
  readonly note?: string
  readonly involvedObject?: { readonly name?: string }
  readonly regarding?: { readonly name?: string }
  readonly related?: { readonly kind?: string; readonly name?: string }
}

function eventFacts(after: KubeObject | undefined): string[] {
  const event = after as StoredEvent | undefined
  if (event?.reason !== 'Preempted') return []
  const text = (event.message ?? event.note ?? '').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'UID')
  const related = event.related === undefined ? '' : ` (related: ${event.related.kind} ${event.related.name})`
  return [`event ${(event.involvedObject ?? event.regarding)?.name ?? ''} ${event.reason}: ${text}${related}`]
}
