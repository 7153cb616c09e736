import { describe, expect, it } from 'vitest'
import { definePlugin, ok } from '../contract/contract.ts'
import { createProfiles } from './profiles.ts'
import { readSchedulerConfiguration } from './scheduler-configuration.ts'

const meta = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' }

function problemsOf(value: object): readonly string[] {
  const read = readSchedulerConfiguration({ ...meta, ...value })
  return read.ok ? [] : read.problems
}

function profilesOf(value: object, plugins = {}) {
  const read = readSchedulerConfiguration({ ...meta, ...value })
  if (!read.ok) throw new Error(read.message)
  return createProfiles(read.value, { plugins })
}

function must(value: object, plugins = {}) {
  const created = profilesOf(value, plugins)
  if (!created.ok) throw new Error(created.message)
  return created.value
}

describe('an empty configuration', () => {
  it('an empty configuration has one default profile', () => {
    const [profile] = must({})
    expect(profile?.schedulerName).toBe('default-scheduler')
    expect(profile?.queueSort.name).toBe('PrioritySort')
    expect(profile?.score.map(({ plugin, weight }) => `${plugin.name}=${weight}`)).toEqual([
      'TaintToleration=3',
      'NodeAffinity=2',
      'NodeResourcesFit=1',
      'VolumeBinding=1',
      'PodTopologySpread=2',
      'InterPodAffinity=2',
      'DynamicResources=2',
      'NodeResourcesBalancedAllocation=1',
      'ImageLocality=1',
    ])
    expect(profile?.bind.map(({ name }) => name)).toEqual(['DefaultBinder'])
    expect(profile?.percentageOfNodesToScore).toBeUndefined()
  })

  it('an empty configuration sets backoff from 1 to 10 seconds', () => {
    const read = readSchedulerConfiguration(meta)
    expect(read.ok && [read.value.podInitialBackoffSeconds, read.value.podMaxBackoffSeconds]).toEqual([1, 10])
  })
})

describe('values that cannot be decoded', () => {
  const cases: [string, object, string[]][] = [
    [
      'another kind',
      { kind: 'Pod' },
      [
        'no kind is registered for kubescheduler.config.k8s.io/v1, Kind=Pod: expected kubescheduler.config.k8s.io/v1, Kind=KubeSchedulerConfiguration',
      ],
    ],
    ['an unknown field', { profile: [] }, ['strict decoding error: unknown field "profile"']],
    [
      'an unknown nested field',
      { profiles: [{ plugins: { filter: { enable: [] } } }] },
      ['strict decoding error: unknown field "profiles[0].plugins.filter.enable"'],
    ],
    [
      'an unknown field of a plugin',
      { profiles: [{ pluginConfig: [{ name: 'NodeAffinity', args: { addedAfinity: {} } }] }] },
      ['strict decoding error: unknown field "profiles[0].pluginConfig[0].args.addedAfinity"'],
    ],
    [
      'a string instead of a number',
      { podMaxBackoffSeconds: 'ten' },
      ['podMaxBackoffSeconds: Invalid value: "ten": must be an integer'],
    ],
  ]
  it.each(cases)('reports a value that cannot be decoded: %s', (_, value, problems) =>
    expect(problemsOf(value)).toEqual(problems),
  )
})

describe('invalid values', () => {
  const args = (name: string, given: object) => ({ profiles: [{ pluginConfig: [{ name, args: given }] }] })
  const at = 'profiles[0].pluginConfig[0].args'
  const cases: [string, object, string[]][] = [
    [
      'zero parallelism',
      { parallelism: 0 },
      ['parallelism: Invalid value: 0: should be an integer value greater than zero'],
    ],
    [
      'two profiles without a name',
      { profiles: [{}, { schedulerName: 'b' }] },
      ['profiles[0].schedulerName: Required value'],
    ],
    [
      'two profiles with the same name',
      { profiles: [{ schedulerName: 'a' }, { schedulerName: 'a' }] },
      ['profiles[1].schedulerName: Duplicate value: "profiles[0].schedulerName"'],
    ],
    [
      'a percentage of nodes above 100',
      { percentageOfNodesToScore: 101 },
      ['percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]'],
    ],
    [
      'zero backoff',
      { podInitialBackoffSeconds: 0 },
      ['podInitialBackoffSeconds: Invalid value: 0: must be greater than 0'],
    ],
    [
      'a maximum backoff below the initial backoff',
      { podInitialBackoffSeconds: 20 },
      ['podMaxBackoffSeconds: Invalid value: 10: must be greater than or equal to PodInitialBackoffSeconds'],
    ],
    [
      'profiles with different queue sort plugins',
      {
        profiles: [
          { schedulerName: 'a' },
          { schedulerName: 'b', plugins: { queueSort: { enabled: [{ name: 'X' }] } } },
        ],
      },
      [
        'profiles[1].plugins.queueSort: Invalid value: {"enabled":[{"name":"X"}],"disabled":[]}: must be the same for all profiles',
      ],
    ],
    [
      'a removed plugin',
      { profiles: [{ plugins: { filter: { enabled: [{ name: 'EBSLimits' }] } } }] },
      [
        'profiles[0].plugins.filter.enabled[0]: Invalid value: "EBSLimits": was invalid in version "kubescheduler.config.k8s.io/v1" (KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")',
      ],
    ],
    [
      'args of one plugin given twice',
      { profiles: [{ pluginConfig: [{ name: 'A' }, { name: 'A' }] }] },
      ['profiles[0].pluginConfig[1]: Duplicate value: "A"'],
    ],
    [
      'no preemption candidates',
      args('DefaultPreemption', { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 }),
      [
        `${at}.minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as minCandidateNodesAbsolute`,
        `${at}.minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as minCandidateNodesPercentage`,
      ],
    ],
    [
      'a weight of affinity above the maximum',
      args('InterPodAffinity', { hardPodAffinityWeight: 101 }),
      [`${at}.hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]`],
    ],
    [
      'an unknown strategy',
      args('NodeResourcesFit', { scoringStrategy: { type: 'Best' } }),
      [
        `${at}.scoringStrategy.type: Unsupported value: "Best": supported values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"`,
      ],
    ],
    [
      'a ratio without a shape',
      args('NodeResourcesFit', { scoringStrategy: { type: 'RequestedToCapacityRatio', requestedToCapacityRatio: {} } }),
      [`${at}.scoringStrategy.requestedToCapacityRatio.shape: Required value: at least one point must be specified`],
    ],
    [
      'a shape with decreasing utilization',
      args('NodeResourcesFit', {
        scoringStrategy: {
          type: 'RequestedToCapacityRatio',
          requestedToCapacityRatio: {
            shape: [
              { utilization: 50, score: 11 },
              { utilization: 10, score: 0 },
            ],
          },
        },
      }),
      [
        `${at}.scoringStrategy.requestedToCapacityRatio.shape[1].utilization: Invalid value: 10: values must be sorted in increasing order`,
        `${at}.scoringStrategy.requestedToCapacityRatio.shape[0].score: Invalid value: 11: not in valid range [0, 10]`,
      ],
    ],
    [
      'unequal weights of balanced allocation',
      args('NodeResourcesBalancedAllocation', { resources: [{ name: 'cpu', weight: 2 }, { name: 'cpu' }] }),
      [`${at}.resources[0].weight: Invalid value: 2: must be 1`, `${at}.resources[1].name: Duplicate value: "cpu"`],
    ],
    [
      'default constraints of both kinds',
      args('PodTopologySpread', {
        defaultConstraints: [
          { maxSkew: 0, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
        ],
      }),
      [
        `${at}.defaultingType: Invalid value: "System": when .defaultConstraints are not empty`,
        `${at}.defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf)`,
        `${at}.defaultConstraints[0].labelSelector: Forbidden: constraint must not define a selector, as they deduced for each pod`,
      ],
    ],
    [
      'a negative bind timeout',
      args('VolumeBinding', { bindTimeoutSeconds: -1 }),
      [`${at}.bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a negative value`],
    ],
    [
      'added affinity that cannot be parsed',
      args('NodeAffinity', {
        addedAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [] }] }],
          },
        },
      }),
      [
        `${at}.addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty`,
      ],
    ],
    [
      'conflicting extenders',
      {
        extenders: [
          { urlPrefix: 'http://a', prioritizeVerb: 'p', bindVerb: 'b', managedResources: [{ name: 'cpu' }] },
          {
            urlPrefix: 'http://b',
            bindVerb: 'b',
            managedResources: [{ name: 'example.com/x' }, { name: 'example.com/x' }],
          },
        ],
      },
      [
        'extenders[0].weight: Invalid value: 0: must have a positive weight applied to it',
        'extenders[0].managedResources[0].name: Invalid value: "cpu": is an invalid extended resource name',
        'extenders[1].managedResources[1].name: Invalid value: "example.com/x": duplicate extender managed resource name',
        'extenders: Invalid value: "found 2 extenders implementing bind": only one extender can implement bind',
      ],
    ],
  ]
  it.each(cases)('reports an invalid value: %s', (_, value, problems) => expect(problemsOf(value)).toEqual(problems))
})

describe('plugins of a profile', () => {
  const mine = definePlugin({ name: 'Mine', filter: () => ok, score: () => 1 })
  const registry = { Mine: () => mine }
  const plugins = (given: object) => ({ profiles: [{ plugins: given }] })

  it('disables plugins for one point or for all points', () => {
    const [profile] = must(
      plugins({ score: { disabled: [{ name: 'ImageLocality' }] }, multiPoint: { disabled: [{ name: 'NodePorts' }] } }),
    )
    expect(profile?.score.map(({ plugin }) => plugin.name)).not.toContain('ImageLocality')
    expect(profile?.filter.map(({ name }) => name)).not.toContain('NodePorts')
  })

  it('disables all plugins with "*" and enables others instead', () => {
    const [profile] = must(
      plugins({ score: { disabled: [{ name: '*' }], enabled: [{ name: 'NodeAffinity', weight: 7 }] } }),
    )
    expect(profile?.score.map(({ plugin, weight }) => [plugin.name, weight])).toEqual([['NodeAffinity', 7]])
  })

  it('applies a new weight and moves plugins that are listed for a point to the front', () => {
    const [profile] = must(plugins({ score: { enabled: [{ name: 'ImageLocality', weight: 9 }] } }))
    expect(profile?.score[0]?.plugin.name).toBe('ImageLocality')
    expect(profile?.score[0]?.weight).toBe(9)
    expect(profile?.score.filter(({ plugin }) => plugin.name === 'ImageLocality')).toHaveLength(1)
  })

  it('keeps the position of a default plugin that is configured again for all points', () => {
    const [profile] = must(
      plugins({ multiPoint: { enabled: [{ name: 'NodeAffinity', weight: 5 }, { name: 'Mine' }] } }),
      registry,
    )
    expect(profile?.score.map(({ plugin, weight }) => `${plugin.name}=${weight}`).slice(0, 2)).toEqual([
      'TaintToleration=3',
      'NodeAffinity=5',
    ])
    expect(profile?.score.at(-1)?.plugin.name).toBe('Mine')
    expect(profile?.filter.at(-1)?.name).toBe('Mine')
  })

  it.each([
    [
      'a plugin that does not exist',
      { filter: { enabled: [{ name: 'Unknown' }] } },
      'FilterPlugin "Unknown" does not exist',
    ],
    [
      'a plugin at an extension point that it does not implement',
      { score: { enabled: [{ name: 'NodeName' }] } },
      'plugin "NodeName" does not extend ScorePlugin plugin',
    ],
    [
      'a plugin twice',
      { filter: { enabled: [{ name: 'NodeName' }, { name: 'NodeName' }] } },
      'plugin "NodeName" already registered as "FilterPlugin"',
    ],
    [
      'no bind plugin',
      { bind: { disabled: [{ name: '*' }] } },
      'at least one bind plugin is needed for profile with scheduler name "default-scheduler"',
    ],
    [
      'no queue sort plugin',
      { queueSort: { disabled: [{ name: '*' }] } },
      'only one queue sort plugin required for profile with scheduler name "default-scheduler", but got 0',
    ],
  ])('refuses a profile that enables %s', (_, given, message) => {
    const created = profilesOf(plugins(given))
    expect(created.ok ? '' : created.message).toBe(`creating profile for scheduler name default-scheduler: ${message}`)
  })

  it('passes args, percentageOfNodesToScore and resources managed by extenders to profiles', () => {
    const seen: unknown[] = []
    const factory = (args: unknown) => {
      seen.push(args)
      return mine
    }
    const [profile] = must(
      {
        percentageOfNodesToScore: 50,
        profiles: [
          {
            plugins: { filter: { enabled: [{ name: 'Mine' }] } },
            pluginConfig: [{ name: 'Mine', args: { any: 'thing' } }],
          },
        ],
      },
      { Mine: factory },
    )
    expect(seen).toEqual([{ any: 'thing' }])
    expect(profile?.percentageOfNodesToScore).toBe(50)
    const read = readSchedulerConfiguration({
      ...meta,
      extenders: [{ urlPrefix: 'http://a', managedResources: [{ name: 'example.com/x', ignoredByScheduler: true }] }],
    })
    expect(read.ok && (read.value.profiles[0]?.args['NodeResourcesFit'] as object)).toMatchObject({
      ignoredResources: ['example.com/x'],
    })
  })

  it('enables extra plugins at all points unless the file configures them', () => {
    const read = readSchedulerConfiguration(meta)
    if (!read.ok) throw new Error(read.message)
    const created = createProfiles(read.value, { plugins: registry, enabled: ['Mine'] })
    if (!created.ok) throw new Error(created.message)
    expect(created.value[0]?.filter.at(-1)?.name).toBe('Mine')
    const placed = readSchedulerConfiguration({
      ...meta,
      ...plugins({ score: { enabled: [{ name: 'Mine', weight: 4 }] } }),
    })
    if (!placed.ok) throw new Error(placed.message)
    const second = createProfiles(placed.value, { plugins: registry, enabled: ['Mine'] })
    if (!second.ok) throw new Error(second.message)
    expect(second.value[0]?.filter.map(({ name }) => name)).not.toContain('Mine')
    expect(second.value[0]?.score.at(-1)).toEqual({ plugin: mine, weight: 4 })
  })

  it('applies the changes of a fix to the args', () => {
    const read = readSchedulerConfiguration(meta)
    if (!read.ok) throw new Error(read.message)
    const seen: unknown[] = []
    const factory = (args: unknown) => {
      seen.push(args)
      return mine
    }
    createProfiles(read.value, { plugins: { Mine: factory }, enabled: ['Mine'], fixes: { Mine: { fixed: true } } })
    expect(seen).toEqual([{ fixed: true }])
  })
})
