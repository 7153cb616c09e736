import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oidcIssuer, readAuthenticationConfig } from '../../src/apiserver/tokens/authentication-config.ts'
import type { JwtIssuer } from '../../src/apiserver/tokens/jwt-issuer.ts'
import { silentLogger } from '../../src/base/log.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { must } from '../../src/base/result.ts'
import { type ApiProcess, startApiProcess } from '../../src/controlplane/api-process.ts'
import { askReal } from './access-servers.ts'
import { type Issuer, startIssuer, tokenCases } from './issuer-tokens.ts'
import { buildParts, clusterRelease, eventually, missing, type RealCluster, startRealCluster } from './real-parts.ts'

const reason = missing(['kube-apiserver'])

interface Setup {
  readonly real: Readonly<Record<string, string>>
  readonly ours: readonly JwtIssuer[]
}

/** The same issuer for both servers: by a file, or by the flags of OpenID Connect. */
type MakeSetup = (issuer: Issuer, folder: string) => Setup

const byFile =
  (jwt: object): MakeSetup =>
  ({ url, authority }, folder) => {
    const issuer = { url, audiences: ['berth'], certificateAuthority: authority }
    const document = {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthenticationConfiguration',
      jwt: [{ issuer, ...jwt }],
    }
    const file = join(folder, 'authentication.json')
    writeFileSync(file, JSON.stringify(document))
    return { real: { 'authentication-config': file }, ours: must(readAuthenticationConfig(document)) }
  }

const byFlags: MakeSetup = ({ url, authority }, folder) => {
  const file = join(folder, 'issuer.crt')
  writeFileSync(file, authority)
  const ours = oidcIssuer({
    issuerUrl: url,
    clientId: 'berth',
    certificateAuthority: authority,
    usernameClaim: 'sub',
    groupsClaim: 'groups',
    groupsPrefix: 'oidc:',
    requiredClaims: [],
    signingAlgorithms: ['RS256', 'ES256'],
  })
  const real = {
    'oidc-issuer-url': url,
    'oidc-client-id': 'berth',
    'oidc-ca-file': file,
    'oidc-groups-claim': 'groups',
    'oidc-groups-prefix': 'oidc:',
    'oidc-signing-algs': 'RS256,ES256',
  }
  return { real, ours: [must(ours)] }
}

const setups: readonly (readonly [string, MakeSetup])[] = [
  ['flags of OpenID Connect', byFlags],
  [
    'claims',
    byFile({ claimMappings: { username: { claim: 'sub', prefix: 'x:' }, groups: { claim: 'groups', prefix: 'g:' } } }),
  ],
  [
    'expressions and rules',
    byFile({
      claimMappings: {
        username: { expression: "claims.?email.orValue('') != '' ? claims.email : claims.sub" },
        groups: { expression: "claims.?roles.orValue('').split(',').filter(role, role != '')" },
        uid: { expression: "claims.?org.team.orValue('none')" },
        extra: [{ key: 'example.org/tenant', valueExpression: "claims.?tenant.orValue('')" }],
      },
      claimValidationRules: [
        { expression: "claims.?tenant.orValue('t1') == 't1'", message: 'wrong tenant' },
        { expression: 'claims.?email_verified.orValue(true) == true', message: 'email is not verified' },
      ],
      userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: 'reserved name' }],
    }),
  ],
]

const review = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' })

describe.skipIf(reason !== undefined).each(setups)(
  `tokens of an issuer on both API servers, by %s${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  (_, make) => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-issuers-'))
    let issuer: Issuer
    let cluster: RealCluster
    let ours: ApiProcess
    const closers: (() => void)[] = []
    const asks: ReturnType<typeof askReal>[] = []
    beforeAll(async () => {
      buildParts(['kube-apiserver'])
      issuer = await startIssuer()
      const setup = make(issuer, folder)
      cluster = await startRealCluster({ apiServer: { 'authorization-mode': 'RBAC', ...setup.real } })
      ours = await startApiProcess({
        host: '127.0.0.1',
        port: 0,
        clock: new RealClock(),
        log: silentLogger,
        release: clusterRelease,
        authorizationModes: ['RBAC'],
        identity: { jwtIssuers: setup.ours },
      })
      asks.push(askReal(cluster.url, readFileSync(join(cluster.folder, 'ca.crt'), 'utf8')))
      asks.push(askReal(ours.server.url, ours.credentials.caCertificate))
      closers.push(...asks.map(({ close }) => close))
      // Both servers read the keys of the issuer after they have started.
      for (const [i, name] of ['the real server', 'berth'].entries())
        await eventually(
          `${name} knows the issuer`,
          () => whoIs(i, issuer.token({})),
          (who) => who.startsWith('201'),
          60,
        )
    }, 240_000)
    afterAll(async () => {
      for (const close of closers) close()
      issuer?.close()
      await ours?.close()
      await cluster?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    const whoIs = async (server: number, token: string): Promise<string> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
      const { code, body } = await asks[server]!.ask({ method: 'POST', path, headers, body: review })
      return `${code} ${JSON.stringify(body.status?.userInfo ?? body.message ?? '')}`
    }

    it('both servers give every token the same user, or refuse it', async () => {
      const given: Record<string, string> = {}
      const wanted: Record<string, string> = {}
      for (const [what, claims, header] of tokenCases) {
        const token = issuer.token(claims, header)
        wanted[what] = await whoIs(0, token)
        given[what] = await whoIs(1, token)
      }
      wanted['malformed'] = await whoIs(0, 'a.b.c')
      given['malformed'] = await whoIs(1, 'a.b.c')
      expect(given).toEqual(wanted)
      const codes = new Set(Object.values(wanted).map((text) => text.slice(0, 3)))
      expect(codes).toEqual(new Set(['201', '401']))
    })
  },
)
