import { describe, expect, it } from 'vitest'
import { serving } from './serving.ts'

const table = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }

describe('tables', () => {
  it('rejects a table of a review, which has no rows', async () => {
    const { ask } = serving()
    const review = { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } }
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
    expect((await ask('POST', path, review, table)).code).toBe(406)
    expect((await ask('POST', path, review)).code).toBe(201)
  })

  it.each(['/api/v1/pods', '/api/v1/events', '/apis/apps/v1/deployments', '/api/v1/persistentvolumes'])(
    'ends the initial events of a watch on %s with a bookmark in a row',
    async (path) => {
      const { watch } = serving()
      const query = 'watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan'
      const { events, stop } = await watch(`${path}?${query}`, table)
      stop()
      expect(events).toHaveLength(1)
      expect(events[0].type).toBe('BOOKMARK')
      expect(events[0].object.kind).toBe('Table')
      expect(events[0].object.rows).toHaveLength(1)
      const { metadata } = events[0].object.rows[0].object
      expect(metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' })
    },
  )
})

describe('the timeout of a request', () => {
  it('rejects a request timeout that is not a duration', async () => {
    const { ask } = serving()
    const answer = await ask('GET', '/api/v1/namespaces?timeout=invalid')
    expect(answer.code).toBe(400)
    expect(answer.body.message).toBe('invalid timeout specified in the request URL - time: invalid duration "invalid"')
    expect((await ask('GET', '/api/v1/namespaces?timeout=10s')).code).toBe(200)
  })
})
