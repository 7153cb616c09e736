import { describe, expect, it } from 'vitest'
import { type AuditPolicy, readAuditPolicy } from '../../src/apiserver/audit/policy.ts'
import { serving } from '../apiserver/serving.ts'

const json = { 'content-type': 'application/json', 'user-agent': 'test' }
const maps = '/api/v1/namespaces/default/configmaps'
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: '1' } }

function recording(policy: AuditPolicy) {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was written
  const events: any[] = []
  let next = 0
  const write = (line: string) => {
    events.push(JSON.parse(line))
  }
  const server = serving({ audit: { policy, write }, newAuditId: () => `id-${next++}` })
  return { events, ...server }
}

describe('the audit log', () => {
  it('records the stages of a request as kube-apiserver writes them', async () => {
    const { ask, events } = recording({ rules: [{ level: 'Metadata' }] })
    await ask('POST', `${maps}?fieldManager=me`, configMap, json)
    expect(events).toHaveLength(2)
    const common = {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: 'id-0',
      requestURI: `${maps}?fieldManager=me`,
      verb: 'create',
      user: { username: 'kubernetes-admin', groups: ['system:masters'] },
      sourceIPs: [],
      userAgent: 'test',
      requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
      stageTimestamp: '2026-01-01T00:00:00.000000Z',
    }
    const objectRef = { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' }
    expect(events[0]).toEqual({ ...common, stage: 'RequestReceived', objectRef })
    expect(events[1]).toEqual({
      ...common,
      stage: 'ResponseComplete',
      objectRef: { ...objectRef, name: 'x' },
      responseStatus: { metadata: {}, code: 201 },
      annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
    })
  })

  it('records objects by level, without managedFields if the policy says so', async () => {
    const { ask, events } = recording({
      rules: [{ level: 'RequestResponse', verbs: ['create'] }],
      omitStages: ['RequestReceived'],
      omitManagedFields: true,
    })
    await ask('POST', maps, configMap, json)
    await ask('GET', `${maps}/x`)
    expect(events).toHaveLength(1)
    expect(events[0].requestObject).toEqual(configMap)
    expect(events[0].responseObject).toMatchObject(configMap)
    expect(events[0].responseObject.metadata).not.toHaveProperty('managedFields')
  })

  it('records the reason why a request failed', async () => {
    const { ask, events } = recording({ rules: [{ level: 'Metadata' }], omitStages: ['RequestReceived'] })
    await ask('GET', `${maps}/missing`)
    expect(events[0].responseStatus).toEqual({
      metadata: {},
      status: 'Failure',
      message: 'configmaps "missing" not found',
      reason: 'NotFound',
      details: { name: 'missing', kind: 'configmaps' },
      code: 404,
    })
  })

  it.each<[string, unknown, string]>([
    [
      'another kind',
      { apiVersion: 'audit.k8s.io/v1', kind: 'X' },
      'no kind "X" is registered for version "audit.k8s.io/v1"',
    ],
    ['no rules', { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [] }, 'loaded illegal policy with 0 rules'],
    [
      'a level that does not exist',
      { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'All' }] },
      'rules[0].level: Unsupported value: "All": supported values: "Metadata", "None", "Request", "RequestResponse"',
    ],
  ])('rejects a policy with %s', (_, document, message) => {
    expect(readAuditPolicy(document)).toBe(message)
  })
})
