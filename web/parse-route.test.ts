import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseRoute } from './parse-route.ts'

it.each([
  ['', { page: 'home' }],
  ['/', { page: 'home' }],
  ['/map', { page: 'home' }],
  ['/pods', { page: 'pods' }],
  ['/pods?search=x/y', { page: 'pods' }],
  ['/pods/default/web-0', { page: 'pod', key: 'default/web-0' }],
  ['/nodes/node-1.example', { page: 'node', name: 'node-1.example' }],
  ['/nodes/node%2D1', { page: 'node', name: 'node-1' }],
  ['/what-if?ask=drain', { page: 'what-if' }],
  ['/search?faults=harsh', { page: 'search' }],
  ['/workloads/shop/Deployment/web', { page: 'workload', key: 'shop/Deployment/web' }],
])('%s is a page', (text, route) => {
  expect(parseRoute(text)).toEqual(route)
})

it.each([
  '/pods/%E0%A4%A',
  '/%',
  '/pods/%E0%A4%A/x',
  '/nodes/%',
  '/constructor',
  '/__proto__',
  '/toString/x',
  '/pods/default',
  '/pods/default/web/more',
  '/pods/../..',
  '/pods/%2E%2E/x',
  '/pods/default/a%2Fb',
  '/pods/default/a%3Fb',
  '/nodes/a%00',
  '/nodes/a/b',
  '/nodes/<script>',
  '/nodes/UPPER',
  `/nodes/${'a'.repeat(254)}`,
  '/queue/x',
  '/workloads/shop/deployment/web',
  '/workloads/shop/Deployment',
  '/map/x',
])('%s is not a page', (text) => {
  expect(parseRoute(text)).toEqual({ page: 'nowhere', path: text })
})

it('answers any text', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseRoute(text)))
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('%', '/', 'E', '0', 'pods', '?', '#') }),
      (text) => void parseRoute(text),
    ),
  )
})
