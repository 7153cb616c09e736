import { describe, expect, it } from 'vitest'
import type { HttpAnswer, ServerAccess } from '../client/http-connection.ts'
import { troubleIn } from './cluster-trouble.ts'

const server = 'https://10.0.0.1:6443'
const access: ServerAccess = { server }
const expired: ServerAccess = { server, explainRefusal: () => 'the client certificate of user "me" expired' }
const answered = (code: number, body = '{}'): HttpAnswer => ({ kind: 'answer', code, headers: {}, body })
const lost = (message: string): HttpAnswer => ({ kind: 'lost', message, sent: false })

describe('what is wrong with a cluster is said in one line', () => {
  it.each<[what: string, answer: HttpAnswer, said: string | undefined, from?: ServerAccess]>([
    ['nothing', answered(200, '{"gitVersion": "v1.36.4"}'), undefined],
    ['nothing that anybody needs to read', answered(403), undefined],
    ['time', { kind: 'timeout' }, `the cluster at ${server} did not answer within 10 s`],
    [
      'nobody there',
      lost('connect ECONNREFUSED 10.0.0.1:6443'),
      `the cluster at ${server} could not be reached: connect ECONNREFUSED 10.0.0.1:6443`,
    ],
    [
      'a name',
      lost('getaddrinfo ENOTFOUND api.example.com'),
      `the cluster at ${server} could not be reached: there is no host of that name (getaddrinfo ENOTFOUND api.example.com)`,
    ],
    [
      'no TLS',
      lost('C0E7:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/x.c:354:\n'),
      `the cluster at ${server} could not be reached: it does not speak TLS: the kubeconfig may need http:// (wrong version number)`,
    ],
    [
      'TLS where none was asked for',
      answered(400, 'Client sent an HTTP request to an HTTPS server.\n'),
      `the cluster at ${server} could not be reached: it wants https:// in the kubeconfig, not http://`,
    ],
    [
      'another authority',
      lost('unable to verify the first certificate'),
      `the cluster at ${server} could not be reached: its certificate is not of the certificate authority in the kubeconfig (unable to verify the first certificate)`,
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
      `the cluster at ${server} could not be reached: the client certificate of user "me" expired`,
      expired,
    ],
    ['a sick server', answered(503), `the cluster at ${server} is not well: it answered with 503`],
    ['some other server', answered(404), `there is no Kubernetes API server at ${server}: it answered 404 to /version`],
    [
      'some other server that answers everything',
      answered(200, '<html>'),
      `there is no Kubernetes API server at ${server}: it answered 200 to /version`,
    ],
  ])('%s', (_what, answer, said, from = access) => {
    expect(troubleIn(answer, from)).toBe(said)
  })
})
