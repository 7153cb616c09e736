import { expect, it } from 'vitest'
import type { ApiRequest } from './exchange.ts'
import { impersonationOf } from './impersonation.ts'

const ann = { name: 'ann', groups: ['system:authenticated'] }
const asking = (headers: Record<string, string>) =>
  impersonationOf(
    { method: 'GET', path: '/', query: new URLSearchParams(), headers, body: new Uint8Array(0) } as ApiRequest,
    ann,
  )

it('is none without a header', () => {
  expect(asking({})).toBeUndefined()
})

it.each([
  ['a user', { 'impersonate-user': 'bob' }, { name: 'bob', groups: ['system:authenticated'] }, ['users bob']],
  [
    'a user in groups, the right to each of which is needed',
    { 'impersonate-user': 'bob', 'impersonate-group': 'dev, system:masters' },
    { name: 'bob', groups: ['dev', 'system:masters', 'system:authenticated'] },
    ['users bob', 'groups dev', 'groups system:masters'],
  ],
  [
    'a service account, whose groups are known',
    { 'impersonate-user': 'system:serviceaccount:shop:robot' },
    {
      name: 'system:serviceaccount:shop:robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
    },
    ['serviceaccounts robot in shop'],
  ],
  [
    'nobody in particular',
    { 'impersonate-user': 'system:anonymous' },
    { name: 'system:anonymous', groups: ['system:unauthenticated'] },
    ['users system:anonymous'],
  ],
  [
    'with a uid and more',
    { 'impersonate-user': 'bob', 'impersonate-uid': '7', 'impersonate-extra-acme.com%2Fproject': 'x,y' },
    { name: 'bob', groups: ['system:authenticated'], uid: '7', extra: { 'acme.com/project': ['x', 'y'] } },
    ['users bob', 'userextras/acme.com/project x', 'userextras/acme.com/project y', 'uids 7'],
  ],
])('is %s', (_, headers, as, rights) => {
  const found = asking(headers as Record<string, string>)
  if (found === undefined || 'ok' in found) throw new Error('nobody is impersonated')
  expect(found.as).toEqual(as)
  const texts = found.rights.map(({ plural, subresource, name, namespace }) =>
    [
      subresource === undefined ? plural : `${plural}/${subresource}`,
      name,
      ...(namespace === undefined ? [] : ['in', namespace]),
    ].join(' '),
  )
  expect(texts).toEqual(rights)
  expect(found.rights.every(({ caller, verb }) => caller === ann && verb === 'impersonate')).toBe(true)
})

it('is refused where groups are asked for without a user', () => {
  expect(asking({ 'impersonate-group': 'system:masters' })).toMatchObject({ ok: false, status: { code: 400 } })
})
