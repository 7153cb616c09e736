import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { load } from 'js-yaml'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Node } from '../../src/api/objects/node.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import { createCredentials } from '../../src/apiserver/certificates.ts'
import { kubeconfigOf } from '../../src/apiserver/kubeconfig.ts'
import { type OidcIssuer, startOidcIssuer } from '../http/oidc-issuer.ts'
import {
  argumentsIn,
  grantedForOthers,
  grantsOf,
  manifests,
  putToWork,
  replacements,
  resourceOf,
} from './access-manifests.ts'
import { type Connection, connect, node } from './connection.ts'
import { startHeartbeats } from './heartbeats.ts'
import {
  buildParts,
  eventually,
  exitOf,
  freePort,
  logged,
  missing,
  type RealCluster,
  startBerth,
  startRealCluster,
  stop,
} from './real-parts.ts'

const reason = missing()
const ownNamespaces = spawnSync('unshare', ['-rm', 'true']).status === 0
describe.skipIf(reason !== undefined)(
  `access to kube-apiserver v1.36.4${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let cluster: RealCluster
    let hands: Connection
    let issuer: OidcIssuer
    const authorities = mkdtempSync(join(tmpdir(), 'berth-authorities-'))
    const old = createCredentials({ now: Date.parse('2001-01-01T00:00:00Z'), hosts: ['a'], adminToken: '' })
    beforeAll(async () => {
      buildParts()
      issuer = await startOidcIssuer({ clientId: 'berth', user: 'jane' })
      const authority = join(authorities, 'issuer.crt')
      writeFileSync(authority, issuer.caCertificate)
      cluster = await startRealCluster({
        audit: true,
        apiServer: {
          'oidc-issuer-url': issuer.url,
          'oidc-client-id': 'berth',
          'oidc-username-prefix': '-',
          'oidc-ca-file': authority,
        },
      })
      hands = await connect(cluster)
    })
    afterAll(async () => {
      hands?.close()
      await cluster?.close()
      issuer?.close()
      rmSync(authorities, { recursive: true })
    })

    const write = (name: string, text: string, mode = 0o600) => {
      const file = join(cluster.folder, name)
      writeFileSync(file, text)
      chmodSync(file, mode)
      return file
    }
    const token = (account: string) => cluster.kubectl('create', 'token', account, '-n', 'kube-system').trim()
    /** A kubeconfig for the cluster with another user. */
    const kubeconfigFor = (name: string, user: object) => {
      const config = load(readFileSync(cluster.kubeconfig, 'utf8')) as { readonly users: readonly object[] }
      return write(`${name}.kubeconfig`, JSON.stringify({ ...config, users: [{ ...config.users[0], user }] }))
    }
    const acts = (name: string) =>
      eventually(
        `${name} acts`,
        () => logged(cluster, name),
        (text) => text.includes('caches synced'),
      )

    it.each(manifests)('deploy/%s is accepted by the API server', (name) => {
      const out = cluster.kubectl('apply', '--dry-run=server', '--validate=strict', '-f', resolve('deploy', name))
      expect(out).toContain('created (server dry run)')
    })

    it('grants each controller exactly the rights that it needs', async () => {
      const fleet = ['n0', 'n1', 'n2']
      await hands.clear(fleet)
      const berths: ReturnType<typeof startBerth>[] = []
      onTestFinished(() => Promise.all(berths.map(stop)).then(() => undefined))
      for (const name of replacements) {
        cluster.kubectl('apply', '-f', resolve('deploy', `${name}.yaml`))
        const kubeconfig = kubeconfigFor(name, { token: token(`berth-${name}`) })
        const configuration = write(
          'scheduler.yaml',
          'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{ schedulerName: berth }]\n',
        )
        const args = argumentsIn(name).map((arg) => arg.replace('/etc/berth/config.yaml', configuration))
        const sooner = [
          '--node-monitor-period',
          '1s',
          '--node-monitor-grace-period',
          '6s',
          '--node-eviction-rate',
          '10',
        ]
        berths.push(startBerth(cluster, name, name === 'node-lifecycle' ? [...args, ...sooner] : args, { kubeconfig }))
        await acts(name)
      }
      await hands.createNodes(0, 3, (i) => node(i, '2'))
      const heartbeats = await startHeartbeats(hands, fleet)
      onTestFinished(() => heartbeats.close())
      await putToWork(hands)
      const [left] = await hands.list<Pod>('pods', 'app=low')
      const silent = left?.spec.nodeName ?? fleet[0]!
      heartbeats.silence(silent)
      await eventually(
        'the silent node is empty',
        () => hands.list<Pod>('pods'),
        (all) => all.every(({ spec }) => spec.nodeName !== silent),
      )
      const nodes = await hands.list<Node>('nodes')
      expect(new Set(nodes.map(({ spec }) => spec?.podCIDR)).size).toBe(3)
      await Promise.all(berths.map(stop))

      const accounts = replacements.map((name) => `system:serviceaccount:kube-system:berth-${name}`)
      const theirs = cluster.auditLog().filter(({ user }) => accounts.includes(user.username))
      for (const account of accounts) expect(theirs.map(({ user }) => user.username)).toContain(account)
      const refused = theirs.filter(
        ({ responseStatus }) => responseStatus?.code === 403 || responseStatus?.code === 401,
      )
      expect(refused.map(({ verb, objectRef, user }) => [user.username, verb, objectRef])).toEqual([])
      for (const name of replacements) expect(logged(cluster, name)).not.toContain('forbidden')

      // Grants only the required rights: every granted right without a use has a reason.
      for (const name of replacements) {
        const used = new Set(
          theirs
            .filter(({ user }) => user.username === `system:serviceaccount:kube-system:berth-${name}`)
            .map(({ verb, objectRef }) => `${verb} ${resourceOf(objectRef)}`),
        )
        const unused = grantsOf(name).filter((grant) => !used.has(grant))
        expect(unused.filter((grant) => grant !== 'patch events' && !grantedForOthers[name]?.includes(grant))).toEqual(
          [],
        )
      }
    })

    it('reads a token from a file with a path relative to the kubeconfig', async () => {
      write('token', `${token('berth-scheduler')}\n`)
      // Relative to the kubeconfig, as in client-go.
      const kubeconfig = kubeconfigFor('token-file', { tokenFile: 'token' })
      const args = ['--controllers', 'scheduler', '--leader-elect=false']
      const berth = startBerth(cluster, 'token-file', args, { kubeconfig })
      await acts('token-file')
      await stop(berth)
    })

    it('renews an expired OIDC login, which the API server accepts', async () => {
      cluster.kubectl(
        'create',
        'clusterrolebinding',
        `jane-${Date.now()}`,
        '--clusterrole=cluster-admin',
        '--user=jane',
      )
      const login = issuer.login(Date.now() - 60_000)
      const config = {
        ...{ 'idp-issuer-url': issuer.url, 'client-id': 'berth', ...login },
        'idp-certificate-authority-data': Buffer.from(issuer.caCertificate).toString('base64'),
      }
      const kubeconfig = kubeconfigFor('oidc', { 'auth-provider': { name: 'oidc', config } })
      // The API server looks for its issuer only after it has started, and until then it knows none of its users.
      await eventually(
        'the API server knows the issuer',
        async () => (await fetchAs(issuer.login(Date.now() + 600_000)['id-token'])).status,
        (status) => status === 200,
      )
      const name = `oidc${Date.now()}`
      const berth = startBerth(cluster, name, ['--controllers', 'scheduler', '--leader-elect-resource-name', name], {
        kubeconfig,
      })
      await acts(name)
      await stop(berth)
      expect(issuer.asked.map((form) => form['refresh_token'])).toContain(login['refresh-token'])
      const written = cluster.auditLog().filter(({ objectRef }) => objectRef?.name === name)
      expect([...new Set(written.map(({ user }) => user.username))]).toEqual(['jane'])
    })

    /** The answer that a Go client or curl gets with that token. */
    const fetchAs = (bearer: string) =>
      new Promise<{ readonly status: number }>((done, fail) => {
        const ca = readFileSync(join(cluster.folder, 'ca.crt'))
        const headers = { authorization: `Bearer ${bearer}` }
        request(`${cluster.url}/version`, { ca, headers, agent: false }, (incoming) => {
          incoming.resume()
          done({ status: incoming.statusCode ?? 0 })
        })
          .on('error', fail)
          .end()
      })

    it('runs an exec plugin once, and passes it the API version', async () => {
      const kept = JSON.stringify({ token: token('berth-scheduler') })
      const answer = `{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":${kept}}`
      const plugin = write(
        'plugin',
        `#!/bin/sh\necho "$KUBERNETES_EXEC_INFO" >> plugin.asked\necho '${answer}'\n`,
        0o700,
      )
      const exec = {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: 'sh',
        args: ['-c', `cd ${cluster.folder} && exec ${plugin}`],
        interactiveMode: 'Never',
      }
      const berth = startBerth(cluster, 'exec', ['--controllers', 'scheduler', '--leader-elect=false'], {
        kubeconfig: kubeconfigFor('exec', { exec }),
      })
      await acts('exec')
      await stop(berth)
      const asked = readFileSync(join(cluster.folder, 'plugin.asked'), 'utf8').trim().split('\n')
      expect(asked.length).toBe(1)
      expect(JSON.parse(asked[0]!)).toEqual({
        ...{ kind: 'ExecCredential', apiVersion: exec.apiVersion },
        spec: { interactive: false },
      })
    })

    it.skipIf(!ownNamespaces)('finds the cluster of the pod in which it runs', async () => {
      const account = join(cluster.folder, 'account')
      mkdirSync(account, { recursive: true })
      write('account/token', token('berth-scheduler'))
      write('account/ca.crt', readFileSync(join(cluster.folder, 'ca.crt'), 'utf8'))
      const { hostname, port } = new URL(cluster.url)
      const place = '/var/run/secrets/kubernetes.io/serviceaccount'
      const berth = `${process.execPath} ${resolve('bin/berth')} run --controllers scheduler --leader-elect=false --metrics-bind-address 0`
      // A separate file system, so that nothing of the pod is left on this machine.
      const script = `mount -t tmpfs tmpfs /run && mkdir -p ${place} && cp ${account}/* ${place}/ && exec ${berth}`
      const { KUBECONFIG: _, ...env } = process.env
      const child = spawn('unshare', ['-rm', 'sh', '-c', script], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...env, HOME: account, KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
      })
      cluster.adopt(child)
      let said = ''
      child.stderr.on('data', (chunk) => {
        said += chunk
      })
      await eventually(
        'it acts',
        () => said,
        (text) => text.includes('caches synced; starting controllers'),
      )
      expect(said).toContain(`https://${hostname}:${port}`)
      child.kill('SIGTERM')
      expect(await exitOf(child)).toBe(0)
    })

    describe('reports errors in one line', () => {
      const run = (...args: readonly string[]) => {
        const { status, stderr } = spawnSync(process.execPath, [resolve('bin/berth'), 'run', ...args], {
          encoding: 'utf8',
          timeout: 120_000,
          env: { ...process.env, HOME: cluster.folder },
        })
        return { code: status, said: stderr.trim() }
      }
      const server = (url: string) => {
        const config = load(readFileSync(cluster.kubeconfig, 'utf8')) as {
          readonly clusters: readonly { readonly cluster: object }[]
        }
        const [first] = config.clusters
        const clusters = [{ ...first, cluster: { ...first?.cluster, server: url } }]
        return write('elsewhere.kubeconfig', JSON.stringify({ ...config, clusters }))
      }

      it('reports a missing or invalid kubeconfig', () => {
        expect(run('--kubeconfig', '/no/such')).toMatchObject({
          code: 2,
          said: expect.stringMatching(/^berth: .*\/no\/such.*$/),
        })
        const broken = write('broken.kubeconfig', 'clusters: [')
        expect(run('--kubeconfig', broken)).toMatchObject({
          code: 2,
          said: expect.stringMatching(/^berth: .*broken.kubeconfig[^\n]*$/),
        })
        expect(run('--kubeconfig', cluster.kubeconfig, '--context', 'other')).toEqual({
          code: 2,
          said: 'berth: no cluster: no context "other" in the kubeconfig; contexts: real',
        })
      })

      it('reports that no server listens at the address', () => {
        expect(run('--kubeconfig', server('https://127.0.0.1:1'))).toEqual({
          code: 3,
          said: 'berth: cannot reach the cluster at https://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1',
        })
      })

      it('reports unknown credentials', () => {
        const unknown = kubeconfigFor('unknown', { token: 'wrong' })
        const refused = {
          code: 3,
          said: expect.stringMatching(/^berth: the cluster at \S+ does not accept these credentials \(401\)[^\n]*$/),
        }
        expect(run('--kubeconfig', unknown)).toMatchObject(refused)
      })

      it('reports an expired client certificate with its subject, file and date', () => {
        write('old.crt', old.adminCertificate)
        write('old.key', old.adminKey)
        const file = kubeconfigFor('old', { 'client-certificate': 'old.crt', 'client-key': 'old.key' })
        expect(run('--kubeconfig', file)).toEqual({
          code: 3,
          said:
            `berth: the cluster at ${cluster.url} does not accept these credentials (401): the client certificate of user "real" ` +
            `in ${join(cluster.folder, 'old.crt')} expired at 2010-12-30T00:00:00Z; renew it`,
        })
      })

      it('reports an OIDC login that cannot be renewed', () => {
        const config = {
          ...{ 'idp-issuer-url': 'https://127.0.0.1:1', 'client-id': 'berth' },
          ...issuer.login(Date.now() - 60_000),
        }
        const file = kubeconfigFor('over', { 'auth-provider': { name: 'oidc', config } })
        expect(run('--kubeconfig', file)).toEqual({
          code: 3,
          said: 'berth: no credentials: the OIDC login of user "real" could not be renewed: cannot reach the identity provider https://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1',
        })
      })

      it('reports the message of an exec plugin that fails', () => {
        const script = 'echo "Your session has expired." >&2; echo "Run cloud login." >&2; exit 255'
        const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh', args: ['-c', script] }
        expect(run('--kubeconfig', kubeconfigFor('fails', { exec }))).toEqual({
          code: 3,
          said: 'berth: no credentials: the exec plugin "sh" of user "real" failed with exit code 255: Your session has expired.; Run cloud login.',
        })
      })

      it('reports plain HTTP if the server requires TLS', () => {
        const plain = server(cluster.url.replace('https:', 'http:'))
        expect(run('--kubeconfig', plain)).toMatchObject({
          code: 3,
          said: expect.stringMatching(/^berth: [^\n]* it expects https:\/\/ in the kubeconfig, not http:\/\/$/),
        })
      })

      it('reports a server whose certificate is not signed by the authority in the kubeconfig', () => {
        const config = load(readFileSync(cluster.kubeconfig, 'utf8')) as {
          readonly clusters: readonly { readonly cluster: object }[]
        }
        const other = createCredentials({ now: Date.now(), hosts: ['127.0.0.1'], adminToken: '' }).caCertificate
        const ca = { 'certificate-authority-data': Buffer.from(other).toString('base64') }
        const clusters = [{ ...config.clusters[0], cluster: { ...config.clusters[0]?.cluster, ...ca } }]
        const file = write('distrust.kubeconfig', JSON.stringify({ ...config, clusters }))
        expect(run('--kubeconfig', file)).toMatchObject({
          code: 3,
          said: expect.stringMatching(/^berth: cannot reach the cluster at \S+: [^\n]*certificate[^\n]*$/),
        })
      })

      it('reports a server whose certificate has expired', async () => {
        const long = Date.parse('2001-01-01T00:00:00Z')
        const old = createCredentials({ now: long, hosts: ['127.0.0.1'], adminToken: '' })
        const expired = createServer({ cert: old.serverCertificate, key: old.serverKey })
        await new Promise<void>((done) => expired.listen(0, '127.0.0.1', done))
        const url = `https://127.0.0.1:${(expired.address() as AddressInfo).port}`
        const kubeconfig = write(
          'expired.kubeconfig',
          JSON.stringify(kubeconfigOf({ server: url, name: 'old', caCertificate: old.caCertificate })),
        )
        expect(await exitOf(startBerth(cluster, 'expired', [], { kubeconfig }))).toBe(3)
        expect(logged(cluster, 'expired').trim()).toBe(
          `berth: cannot reach the cluster at ${url}: certificate has expired`,
        )
        expired.close()
      })

      it('reports invalid flags', () => {
        const flag = (...args: string[]) => run('--kubeconfig', cluster.kubeconfig, ...args)
        expect(flag('--controllers', 'nonsense')).toMatchObject({
          code: 2,
          said: expect.stringContaining('unknown controller "nonsense"'),
        })
        expect(flag('--leader-elect-renew-deadline', '20s')).toMatchObject({
          code: 2,
          said: expect.stringMatching(/^berth: [^\n]*renew-deadline[^\n]*$/),
        })
        expect(flag('--max-in-flight', '0').code).toBe(2)
        const { hostname, port } = new URL(cluster.url)
        expect(flag('--metrics-bind-address', `${hostname}:${port}`)).toEqual({
          code: 2,
          said: `berth: cannot listen on ${hostname}:${port}: the port is in use; pass another --metrics-bind-address, or 0 to disable it`,
        })
        expect(flag('--nonsense').code).toBe(2)
      })
    })

    it('reports missing rights once, and continues', async () => {
      const name = `unknown${Date.now()}`
      cluster.kubectl('create', 'sa', name, '-n', 'kube-system')
      const port = await freePort()
      const args = ['--leader-elect=false', '--metrics-bind-address', `127.0.0.1:${port}`]
      const berth = startBerth(cluster, name, ['--controllers', 'taint-eviction', ...args], {
        kubeconfig: kubeconfigFor(name, { token: token(name) }),
      })
      const text = await eventually(
        'it says so',
        () => logged(cluster, name),
        (said) => said.includes('pods is forbidden') && said.includes('nodes is forbidden'),
      )
      expect(text).toContain('cannot watch resource')
      const ready = await fetch(`http://127.0.0.1:${port}/readyz?verbose`)
      expect(ready.status).toBe(500)
      expect(await ready.text()).toContain('[-]sync failed: waiting for ')
      berth.kill('SIGTERM')
      expect(await exitOf(berth)).toBe(0)
    })

    it('reports missing rights for leader election, and stays on standby', async () => {
      const name = `leaseless${Date.now()}`
      cluster.kubectl('create', 'sa', name, '-n', 'kube-system')
      const berth = startBerth(cluster, name, ['--controllers', 'taint-eviction'], {
        kubeconfig: kubeconfigFor(name, { token: token(name) }),
      })
      const text = await eventually(
        'it says so',
        () => logged(cluster, name),
        (said) => said.includes('cannot access the lease'),
      )
      expect(text).toMatch(/cannot get resource \\"leases\\" in API group \\"coordination.k8s.io\\"/)
      expect(text.split('cannot access the lease').length).toBe(2)
      berth.kill('SIGTERM')
      expect(await exitOf(berth)).toBe(0)
    })
  },
)
