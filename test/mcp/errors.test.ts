// The answers to mistakes of an agent: the problem, and the correct input.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callTool, stdioClient, testServer } from './connection.ts'

type Connection = Awaited<ReturnType<typeof stdioClient>>

describe('errors of tools', () => {
  let none: Connection
  let open: Connection
  beforeAll(async () => {
    none = await stdioClient(testServer(), 'legacy')
    open = await stdioClient(testServer(), 'legacy')
    await callTool(open.client, 'open', { file: 'cluster.json' })
  })
  afterAll(async () => {
    await none.close()
    await open.close()
  })

  const advice: readonly [string, object, string][] = [
    ['open', {}, 'exactly one of file and live is required: {"file": "PATH"}, or {"live": true}; open forks: f1'],
    ['open', { live: true }, 'no live cluster is configured: pass file, or ask the user to start berth mcp with'],
    ['advance', { duration: '100h' }, 'at most 24h of virtual time in one call; call advance again for more'],
    ['advance', { duration: '2 hours' }, 'duration: must be a duration such as 30s or 1h15m, not "2 hours"'],
    ['close', { fork: 'f7' }, 'fork "f7" not found; existing names are "f1"'],
    ['kubectl_cordon', {}, 'exactly one of nodes, selector and zone is required'],
    ['kubectl_get', { resource: 'pods', cursor: 'x' }, 'cursor: not a cursor of this list'],
    ['capacity', {}, 'question is required: one of fit, removable'],
    ['explain', {}, 'pod is required: Name of the pod.'],
    [
      'forecast',
      { change: 'drain node-1' },
      'change: must be an array, not a string: The steps, for example [{"drain"',
    ],
    ['kubectl_drain', { node: 'node-1' }, 'unknown field "node"; did you mean "nodes"?'],
  ]
  it.each(advice)('%s %j is answered with advice of the server', async (tool, given, message) => {
    const { isError, text } = await callTool(open.client, tool, given)
    expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining(message) })
    expect(text).not.toContain('<cluster-data>')
  })

  it('the first call without a cluster is answered with the call to make', async () => {
    const { isError, text } = await callTool(none.client, 'kubectl_get', { resource: 'pods' })
    expect({ isError, text }).toEqual({ isError: true, text: 'Error: no cluster is open: call open first' })
  })

  const quoting: readonly [string, object, string][] = [
    ['open', { file: 'clster.json' }, 'clster.json: no such file or directory; did you mean "cluster.json"?'],
    [
      'forecast',
      { change: [{ drain: 'node-1' }] },
      'must be an object, not "node-1"; a step is for example {"drain": {"node"',
    ],
    ['fault', { fault: 'fail', zone: 'zone-x' }, 'topology.kubernetes.io/zone=zone-x; did you mean "zone-a", "zone-b"'],
    [
      'kubectl_apply',
      {
        manifest:
          '{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {containerz: [], containers: [{name: a, image: b}]}}',
      },
      'unknown field "spec.containerz"',
    ],
    ['kubectl_get', { resource: 'podz' }, 'did you mean "pod", "pods"?'],
    ['kubectl_describe', { resource: 'deployment', name: 'wbe', namespace: 'shop' }, 'did you mean "web"?'],
  ]
  it.each(quoting)('%s %j is answered with names as data', async (tool, given, message) => {
    const { isError, text } = await callTool(open.client, tool, given)
    expect(isError).toBe(true)
    expect(text).toMatch(/^Error:\n<cluster-data>\n[\s\S]*\n<\/cluster-data>$/)
    expect(text).toContain(message)
  })
})
