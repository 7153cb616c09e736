import { describe, expect, it } from 'vitest'
import type { HttpAnswer, ServerAccess } from '../client/http-connection.ts'
import { troubleIn } from './cluster-trouble.ts'

const server = 'https://10.0.0.1:6443'
const access: ServerAccess = { server }
const expired: ServerAccess = { server, explainRefusal: () => 'the client certificate of user "me" expired' }
const answered = (code: number, body = '{}'): HttpAnswer => ({ kind: 'answer', code, headers: {}, body })
const lost = (message: string): HttpAnswer => ({ kind: 'lost', message, sent: false })

describe('the one-line problem of a cluster', () => {
  it.each<[what: string, answer: HttpAnswer, said: string | undefined, from?: ServerAccess]>([
    ['nothing', answered(200, '{"gitVersion": "v1.36.4"}'), undefined],
    ['nothing that anybody needs to read', answered(403), undefined],
    ['time', { kind: 'timeout' }, `the cluster at ${server} timed out after 10 s`],
    [
      'no server at the address',
      lost('connect ECONNREFUSED 10.0.0.1:6443'),
      `cannot reach the cluster at ${server}: connect ECONNREFUSED 10.0.0.1:6443`,
    ],
    [
      'a name',
      lost('getaddrinfo ENOTFOUND api.example.com'),
      `cannot reach the cluster at ${server}: no such host (getaddrinfo ENOTFOUND api.example.com)`,
    ],
    [
      'no TLS',
      lost('C0E7:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/x.c:354:\n'),
      `cannot reach the cluster at ${server}: the server does not use TLS; the kubeconfig may need http:// (wrong version number)`,
    ],
    [
      'TLS where none was asked for',
      answered(400, 'Client sent an HTTP request to an HTTPS server.\n'),
      `cannot reach the cluster at ${server}: it expects https:// in the kubeconfig, not http://`,
    ],
    [
      'another authority',
      lost('unable to verify the first certificate'),
      `cannot reach the cluster at ${server}: its certificate is not signed by the certificate authority in the kubeconfig (unable to verify the first certificate)`,
    ],
    [
      'unknown credentials',
      answered(401),
      `the cluster at ${server} does not accept these credentials (401): they may be wrong, or have expired`,
    ],
    [
      'expired credentials',
      answered(401),
      `the cluster at ${server} does not accept these credentials (401): the client certificate of user "me" expired`,
      expired,
    ],
    [
      'credentials that a handshake refuses',
      lost(
        'C0:error:0A000415:SSL routines:ssl3_read_bytes:ssl/tls alert certificate expired:x.c:916:SSL alert number 45\n',
      ),
      `cannot reach the cluster at ${server}: the client certificate of user "me" expired`,
      expired,
    ],
    ['a sick server', answered(503), `the cluster at ${server} is unhealthy: /version returned 503`],
    ['some other server', answered(404), `${server} is not a Kubernetes API server: /version returned 404`],
    [
      'some other server that answers everything',
      answered(200, '<html>'),
      `${server} is not a Kubernetes API server: /version returned 200`,
    ],
  ])('reports the problem of a cluster: %s', (_what, answer, said, from = access) => {
    expect(troubleIn(answer, from)).toBe(said)
  })
})
