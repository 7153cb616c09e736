import { describe, expect, it } from 'vitest'
import { releaseOf } from '../api/releases/release-of.ts'
import { must } from '../base/result.ts'
import type { RequestHead } from './exchange.ts'
import { createImpersonation } from './impersonation.ts'
import type { Attributes } from './rbac.ts'

const ann = { name: 'ann', groups: ['system:authenticated'] }
const robot = {
  name: 'system:serviceaccount:shop:agent',
  groups: ['system:authenticated'],
  extra: { 'authentication.kubernetes.io/node-name': ['n1'] },
}

const rightOf = ({ verb, group, plural, subresource, namespace, name }: Attributes) =>
  [
    verb,
    `${plural}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`,
    ...(namespace === undefined ? [] : ['in', namespace]),
    name,
  ].join(' ')

/** Requests a pod with these headers, as a caller with these rights. */
function asking(
  headers: Readonly<Record<string, string | readonly string[]>>,
  rights: (right: string) => boolean,
  version = '1.36',
) {
  const asked: string[] = []
  const impersonate = createImpersonation(
    (attributes) => {
      asked.push(rightOf(attributes))
      return { allowed: rights(rightOf(attributes)), reason: '' }
    },
    must(releaseOf(version)),
  )
  const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()]))
  const joined = Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.join(', ')]))
  const request = { headers: joined, headerLists: lists } as unknown as RequestHead
  const ask = (caller = ann) =>
    impersonate(request, caller, { caller, verb: 'get', group: '', plural: 'pods', namespace: 'shop', name: 'web' })
  return { ask, asked }
}

const legacy = (right: string) => right.startsWith('impersonate ')
const constrained = (right: string) => !legacy(right)

it('does not impersonate without an Impersonate-User header', () => {
  expect(asking({}, () => true).ask()).toBeUndefined()
})

describe('impersonation up to v1.35', () => {
  it('checks only the verb impersonate up to v1.35, for the name, the groups, the extras and the uid in this order', () => {
    const headers = {
      'impersonate-user': 'bob',
      'impersonate-uid': '7',
      'impersonate-group': ['dev'],
      'impersonate-extra-acme.com%2fteam': ['x'],
    }
    const { ask, asked } = asking(headers, legacy, '1.35')
    expect(ask()).toMatchObject({ name: 'bob', uid: '7', groups: ['dev', 'system:authenticated'] })
    expect(asked).toEqual([
      'impersonate users bob',
      'impersonate groups dev',
      'impersonate userextras.authentication.k8s.io/acme.com/team x',
      'impersonate uids.authentication.k8s.io 7',
    ])
    expect(asking(headers, constrained, '1.35').ask()).toMatchObject({ ok: false, status: { reason: 'Forbidden' } })
  })

  it('rejects groups and a uid without a user up to v1.35, and lists them', () => {
    const headers = { 'impersonate-group': ['dev', ''], 'impersonate-uid': '7' }
    expect(asking(headers, legacy, '1.35').ask()).toMatchObject({
      status: {
        message:
          'requested [{Group  dev    } {Group      } {UID  7  authentication.k8s.io/v1  }] without impersonating a user',
      },
    })
  })
})

describe('with the verb impersonate', () => {
  it.each([
    ['a user', { 'impersonate-user': 'bob' }, { name: 'bob', groups: ['system:authenticated'] }, ['users bob']],
    [
      'a user in groups, with the right to each of them',
      { 'impersonate-user': 'bob', 'impersonate-group': ['dev', 'system:masters'] },
      { name: 'bob', groups: ['dev', 'system:masters', 'system:authenticated'] },
      ['users bob', 'groups dev', 'groups system:masters'],
    ],
    [
      'a user in a group whose name contains a comma',
      { 'impersonate-user': 'bob', 'impersonate-group': 'a,b' },
      { name: 'bob', groups: ['a,b', 'system:authenticated'] },
      ['users bob', 'groups a,b'],
    ],
    [
      'a service account in its groups',
      { 'impersonate-user': 'system:serviceaccount:shop:robot' },
      {
        name: 'system:serviceaccount:shop:robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
      },
      ['serviceaccounts in shop robot'],
    ],
    [
      'a user whose name only looks like a service account',
      { 'impersonate-user': 'system:serviceaccount:Shop:robot' },
      { name: 'system:serviceaccount:Shop:robot', groups: ['system:authenticated'] },
      ['users system:serviceaccount:Shop:robot'],
    ],
    [
      'the anonymous user',
      { 'impersonate-user': 'system:anonymous' },
      { name: 'system:anonymous', groups: ['system:unauthenticated'] },
      ['users system:anonymous'],
    ],
    [
      'a user with a uid and extra values',
      { 'impersonate-user': 'bob', 'impersonate-uid': '7', 'impersonate-extra-acme.com%2fproject': ['x', 'y'] },
      { name: 'bob', groups: ['system:authenticated'], uid: '7', extra: { 'acme.com/project': ['x', 'y'] } },
      [
        'users bob',
        'uids.authentication.k8s.io 7',
        'userextras.authentication.k8s.io/acme.com/project x',
        'userextras.authentication.k8s.io/acme.com/project y',
      ],
    ],
  ])('impersonates %s with the verb impersonate', (_, headers, as, rights) => {
    const { ask, asked } = asking(headers as Record<string, string>, legacy)
    expect(ask()).toEqual(as)
    expect(asked.filter(legacy)).toEqual(rights.map((right) => `impersonate ${right}`))
  })
})

describe('with the verbs of constrained impersonation', () => {
  it.each([
    [
      'a user',
      { 'impersonate-user': 'bob', 'impersonate-group': 'dev' },
      ann,
      ['bob', 'dev', 'system:authenticated'],
      [
        'impersonate-on:user-info:get pods in shop web',
        'impersonate:user-info users.authentication.k8s.io bob',
        'impersonate:user-info groups.authentication.k8s.io dev',
      ],
    ],
    [
      'a service account',
      { 'impersonate-user': 'system:serviceaccount:shop:robot' },
      ann,
      [
        'system:serviceaccount:shop:robot',
        ...['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
      ],
      [
        'impersonate-on:serviceaccount:get pods in shop web',
        'impersonate:serviceaccount serviceaccounts.authentication.k8s.io in shop robot',
      ],
    ],
    [
      'a node',
      { 'impersonate-user': 'system:node:n1' },
      ann,
      ['system:node:n1', 'system:nodes', 'system:authenticated'],
      [
        'impersonate-on:arbitrary-node:get pods in shop web',
        'impersonate:arbitrary-node nodes.authentication.k8s.io n1',
      ],
    ],
    [
      'the node that the service account runs on',
      { 'impersonate-user': 'system:node:n1' },
      robot,
      ['system:node:n1', 'system:nodes', 'system:authenticated'],
      [
        'impersonate-on:associated-node:get pods in shop web',
        'impersonate:associated-node nodes.authentication.k8s.io *',
      ],
    ],
    [
      'a user in many groups, by the right to all groups',
      { 'impersonate-user': 'bob', 'impersonate-group': ['a', 'b', 'c', 'd'] },
      ann,
      ['bob', 'a', 'b', 'c', 'd', 'system:authenticated'],
      [
        'impersonate-on:user-info:get pods in shop web',
        'impersonate:user-info users.authentication.k8s.io bob',
        'impersonate:user-info groups.authentication.k8s.io *',
      ],
    ],
  ])('impersonates %s with the constrained verbs', (_, headers, caller, [name, ...groups], rights) => {
    const { ask, asked } = asking(headers as Record<string, string>, constrained)
    expect(ask(caller)).toMatchObject({ name, groups })
    expect(asked).toEqual(rights)
  })

  it.each([
    [['system:masters'], 'impersonating the system:masters group is not allowed'],
    [['a', ''], 'impersonating the empty string group is not allowed'],
  ])('refuses to impersonate the groups %j', (groups, why) => {
    const { ask } = asking({ 'impersonate-user': 'bob', 'impersonate-group': groups }, constrained)
    expect(JSON.stringify(ask())).toContain(why)
  })

  it('requires that the keys of impersonated extras are domain-prefixed paths', () => {
    const { ask } = asking({ 'impersonate-user': 'bob', 'impersonate-extra-scopes': 'x' }, constrained)
    expect(ask()).toMatchObject({
      status: { message: expect.stringContaining('must be a domain-prefixed path (such as "acme.io/foo")') },
    })
  })
})

it('rejects impersonation with the message of the first mode that applies', () => {
  expect(asking({ 'impersonate-user': 'bob' }, () => false).ask()).toMatchObject({
    status: {
      code: 403,
      message:
        'pods "web" is forbidden: User "ann" cannot impersonate-on:user-info:get resource "pods" in API group "" in the namespace "shop"',
    },
  })
})

it('rejects impersonation with the message of the mode that was last allowed', () => {
  let isAllowed = true
  const { ask } = asking({ 'impersonate-user': 'bob' }, (right) => isAllowed && legacy(right))
  expect(ask()).toMatchObject({ name: 'bob' })
  isAllowed = false
  expect(ask()).toMatchObject({
    status: {
      message:
        'users "bob" is forbidden: User "ann" cannot impersonate resource "users" in API group "" at the cluster scope',
    },
  })
})

it('rejects impersonated groups without a user', () => {
  expect(asking({ 'impersonate-group': 'system:masters' }, () => true).ask()).toMatchObject({
    status: {
      code: 400,
      message:
        'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"system:masters"}, Extra:map[string][]string(nil)} without impersonating a user name',
    },
  })
})
