import {
  apply,
  configMap,
  container,
  deployment,
  deployments,
  type HostileBody,
  jsonPatch,
  maps,
  members,
  merge,
  nested,
  patch,
  strategic,
  text,
  times,
  widget,
  widgets,
} from './hostile-parts.ts'

export const hostilePatches: readonly HostileBody[] = [
  patch(
    deployments,
    strategic,
    'a strategic merge of containers',
    (n) => deployment(times(Math.min(n, 8000), container)),
    (n) => text({ spec: { template: { spec: { containers: times(n, (i) => ({ name: `c${i}`, image: 'b' })) } } } }),
  ),
  patch(
    deployments,
    strategic,
    'a strategic merge that deletes',
    (n) => deployment(times(Math.min(n, 8000), container)),
    (n) =>
      text({ spec: { template: { spec: { containers: times(n, (i) => ({ name: `c${i}`, $patch: 'delete' })) } } } }),
  ),
  patch(
    deployments,
    strategic,
    'a strategic merge of containers of one name',
    () => deployment([container(0)]),
    (n) => text({ spec: { template: { spec: { containers: times(n, () => container(0)) } } } }),
  ),
  patch(
    deployments,
    strategic,
    'a strategic merge with an order',
    (n) => deployment(times(Math.min(n, 8000), container)),
    (n) =>
      text({
        spec: {
          template: {
            spec: {
              '$setElementOrder/containers': times(n, (i) => ({ name: `c${n - i}` })),
              containers: times(n, (i) => ({ name: `c${i}`, image: 'b' })),
            },
          },
        },
      }),
  ),
  patch(
    maps,
    strategic,
    'a strategic merge of finalizers',
    () => configMap({}),
    (n) => text({ metadata: { finalizers: times(n, (i) => `example.com/f${i}`) } }),
  ),
  patch(
    maps,
    strategic,
    'a strategic merge that deletes finalizers',
    () => configMap({}),
    (n) =>
      text({
        metadata: {
          '$deleteFromPrimitiveList/finalizers': times(n, (i) => `example.com/f${i}`),
          finalizers: times(n, (i) => `example.com/f${i}`),
        },
      }),
  ),
  patch(
    maps,
    merge,
    'a merge patch',
    (n) => configMap({ data: members(Math.min(n, 20_000), 'k', 'v') }),
    (n) => text({ data: members(n, 'k', null) }),
  ),
  patch(
    maps,
    merge,
    'a deep merge patch',
    () => configMap({}),
    (n) => nested(n, '{"a":', '1', '}'),
  ),
  patch(
    maps,
    jsonPatch,
    'doubling copies',
    () => configMap({ data: { a: 'b' } }),
    (n) => text(times(Math.min(n, 10_000), (i) => ({ op: 'copy', from: '/data', path: `/data/k${i}` }))),
  ),
  patch(
    maps,
    jsonPatch,
    'copies of a small value',
    () => configMap({ data: { a: 'b' } }),
    (n) => text(times(Math.min(n, 10_000), (i) => ({ op: 'copy', from: '/data/a', path: `/data/k${i}` }))),
  ),
  patch(
    maps,
    jsonPatch,
    'tests',
    (n) => configMap({ data: members(Math.min(n, 20_000), 'k', 'v') }),
    (n) => text(times(Math.min(n, 10_000), () => ({ op: 'test', path: '/data/k0', value: 'v' }))),
  ),
  patch(
    maps,
    jsonPatch,
    'moves',
    () => configMap({ data: { a: 'b' } }),
    (n) =>
      text(
        times(Math.min(n, 10_000), (i) => ({
          op: 'move',
          from: i % 2 === 0 ? '/data' : '/binaryData',
          path: i % 2 === 0 ? '/binaryData' : '/data',
        })),
      ),
  ),
  patch(
    maps,
    jsonPatch,
    'a long path',
    () => configMap({}),
    (n) => text([{ op: 'add', path: '/a'.repeat(n), value: 1 }]),
  ),
  patch(
    maps,
    jsonPatch,
    'additions to a list',
    () => configMap({}, { finalizers: ['example.com/f'] }),
    (n) =>
      text(
        times(Math.min(n, 10_000), (i) => ({ op: 'add', path: '/metadata/finalizers/0', value: `example.com/f${i}` })),
      ),
  ),
  patch(
    maps,
    jsonPatch,
    'operations that are too many',
    () => configMap({}),
    (n) => text(times(n, () => ({ op: 'test' }))),
  ),
  patch(
    maps,
    apply,
    'an apply of data',
    () => configMap({}),
    (n) => text(configMap({ data: members(n, 'k', 'v') })),
  ),
  patch(
    deployments,
    apply,
    'an apply of containers',
    () => deployment([container(0)]),
    (n) => text(deployment(times(n, container))),
  ),
  patch(
    deployments,
    apply,
    'an apply of containers of one name',
    () => deployment([container(0)]),
    (n) => text(deployment(times(n, () => container(0)))),
  ),
  patch(
    widgets,
    apply,
    'an apply of keyed elements',
    () => widget({}),
    (n) => text(widget({ spec: { keyed: times(n, (i) => ({ name: `k${i}` })) } })),
  ),
  patch(
    widgets,
    apply,
    'an apply of a set',
    () => widget({}),
    (n) => text(widget({ spec: { set: times(n, (i) => `k${i}`) } })),
  ),
  patch(
    maps,
    apply,
    'a deep apply',
    () => configMap({}),
    (n) => nested(n, '{"a":', '1', '}'),
  ),
  patch(
    maps,
    apply,
    'an apply of an alias bomb',
    () => configMap({}),
    (n) =>
      times(Math.min(n, 64), (i) => `a${i}: &a${i} [${i === 0 ? 'x' : times(9, () => `*a${i - 1}`).join()}]`).join(
        '\n',
      ),
  ),
]

/** Managers of a config map, each of one member. */
const managed = (n: number) => ({
  data: members(n, 'k', 'v'),
  managers: times(n, (i) => ({
    manager: `m${i}`,
    operation: i === 0 ? 'Apply' : 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { [`f:k${i}`]: {} } },
  })),
})

const owned = (n: number) => {
  const { data, managers } = managed(Math.min(n, 8000))
  return configMap({ data }, { managedFields: managers })
}

export const hostileOwnership: readonly HostileBody[] = [
  patch(maps, merge, 'a change of what many managers own', owned, (n) =>
    text({ data: members(Math.min(n, 8000), 'k', 'w') }),
  ),
  patch(maps, merge, 'a change of what no manager owns', owned, (n) => text({ data: members(n, 'n', 'w') })),
  {
    ...patch(maps, apply, 'an apply over many managers', owned, (n) => text(configMap({ data: members(n, 'n', 'v') }))),
    path: `${maps}/hostile?dryRun=All&fieldManager=m0&force=true`,
  },
  patch(maps, apply, 'conflicts with many managers', owned, (n) =>
    text(configMap({ data: members(Math.min(n, 8000), 'k', 'w') })),
  ),
]
