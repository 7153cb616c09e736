import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseRoute } from './route.ts'

const query = new URLSearchParams()

it('splits a path at slashes, and ignores slashes at its start and end', () => {
  const part = fc.constantFrom('', 'a', 'pods', 'namespaces', 'watch')
  fc.assert(
    fc.property(fc.array(part, { minLength: 2, maxLength: 8 }), fc.nat(2), fc.nat(2), (parts, before, after) => {
      const path = `${'/'.repeat(before)}api/v1/${parts.join('/')}${'/'.repeat(after)}`
      const left = path.replace(/^\/+|\/+$/g, '').split('/')
      const route = parseRoute('PUT', path, query)
      if (left.length <= 2) expect(route.kind).toBe('discovery')
      else if (route.kind === 'incomplete') expect(left[2]).toBe('watch')
      else {
        if (route.kind !== 'resource') throw new Error(`${path}: ${route.kind}`)
        const { plural, name, subresource, rest, namespace, prefix } = route
        const object = [plural, name, subresource, ...(rest === undefined ? [] : [rest])]
        while (object.at(-1) === undefined) object.pop()
        const scope = namespace === undefined ? [] : ['namespaces', namespace]
        expect([prefix, ...scope, ...object].filter((each) => each !== undefined)).toEqual(
          rest === undefined ? left.slice(2) : [...left.slice(2, -rest.split('/').length), rest],
        )
      }
    }),
  )
})
