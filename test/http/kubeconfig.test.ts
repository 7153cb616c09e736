import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { load } from 'js-yaml'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createCredentials } from '../../src/apiserver/certificates.ts'
import { minute, start, useKubeconfigs } from './kubeconfig-server.ts'
import { startOidcIssuer } from './oidc-issuer.ts'

describe('credentials of a kubeconfig', () => {
  const test = useKubeconfigs()
  const { write, configFor, kubeconfig, access, connect, knock, refusal } = test

  describe('OIDC', () => {
    const provider = (config: object) => ({ 'auth-provider': { name: 'oidc', config } })
    const issuer = async (more: { readonly rotates?: boolean; readonly lastsMs?: number } = {}) => {
      const made = await startOidcIssuer({ clientId: 'berth', user: 'jane', now: () => test.clock.now(), ...more })
      onTestFinished(() => made.close())
      const config = (login: object, secret = '') => ({
        'idp-issuer-url': made.url,
        'client-id': 'berth',
        'client-secret': secret,
        'idp-certificate-authority-data': Buffer.from(made.caCertificate).toString('base64'),
        ...login,
      })
      return { ...made, asked: made.asked, config }
    }

    it('uses the id-token until it expires, without requesting another one', async () => {
      const { login, config, asked } = await issuer()
      const given = login(start + 10 * minute)
      const connection = connect(await access({ kubeconfig: kubeconfig(provider(config(given))) }))
      test.clock.advanceTo(start + 9 * minute)
      expect(await knock(connection)).toBe(`200 ${given['id-token']}`)
      expect(asked).toEqual([])
    })

    it('renews an expired OIDC login once until the new one expires', async () => {
      const { login, config, asked } = await issuer({ lastsMs: 10 * minute })
      const given = login(start - minute)
      const connection = connect(await access({ kubeconfig: kubeconfig(provider(config(given))) }))
      const first = await knock(connection)
      expect(first).toMatch(/^200 ey/)
      expect(first).not.toContain(given['id-token'])
      for (const minutes of [2, 4, 6, 8]) {
        test.clock.advanceTo(start + minutes * minute)
        expect(await knock(connection)).toBe(first)
      }
      expect(asked).toEqual([
        { grant_type: 'refresh_token', refresh_token: given['refresh-token'], client_id: 'berth' },
      ])
      // The provider does not rotate, so the same refresh-token is good again.
      test.clock.advanceTo(start + 10 * minute)
      expect(await knock(connection)).not.toBe(first)
      expect(asked.map((form) => form['refresh_token'])).toEqual([given['refresh-token'], given['refresh-token']])
    })

    it('sends the client secret to the OIDC provider, if there is one', async () => {
      const { login, config, asked } = await issuer()
      await access({ kubeconfig: kubeconfig(provider(config(login(start), 's3cret'))) })
      expect(asked[0]?.['authorization']).toBe(`Basic ${Buffer.from('berth:s3cret').toString('base64')}`)
    })

    it('stores a new refresh-token of the provider where kubectl finds it', async () => {
      const { login, config, asked } = await issuer({ rotates: true, lastsMs: 5 * minute })
      const given = login(start - minute)
      const file = write('me.kubeconfig', `# yaml\n${JSON.stringify(configFor(provider(config(given))))}`)
      const connection = connect(await access({ kubeconfig: file }))
      const first = await knock(connection)
      const written = () =>
        (load(readFileSync(file, 'utf8')) as ReturnType<typeof configFor>).users[0]?.user as ReturnType<typeof provider>
      await vi.waitFor(() =>
        expect(written()['auth-provider'].config).toMatchObject({ 'id-token': first.replace('200 ', '') }),
      )
      const next = (written()['auth-provider'].config as typeof given)['refresh-token']
      expect(next).not.toBe(given['refresh-token'])
      test.clock.advanceTo(start + 6 * minute)
      expect(await knock(connection)).toMatch(/^200 ey/)
      expect(asked.map((form) => form['refresh_token'])).toEqual([given['refresh-token'], next])
    })

    it('uses a login that another process renewed in the file', async () => {
      const { login, config, asked } = await issuer()
      const file = kubeconfig(provider(config(login(start + minute))))
      const connection = connect(await access({ kubeconfig: file }))
      const theirs = login(start + 60 * minute)
      kubeconfig(provider(config(theirs)))
      test.clock.advanceTo(start + 2 * minute)
      expect(await knock(connection)).toBe(`200 ${theirs['id-token']}`)
      expect(asked).toEqual([])
    })

    it('requests another token when one that has not expired is rejected', async () => {
      const { login, config, asked } = await issuer()
      const given = login(start + 60 * minute)
      const connection = connect(await access({ kubeconfig: kubeconfig(provider(config(given))) }))
      test.door.allow = (token) => token !== given['id-token']
      expect(await knock(connection)).toMatch(/^200 ey/)
      expect(asked.length).toBe(1)
    })

    it.each<[why: string, change: (config: Record<string, string>) => object, said: RegExp]>([
      [
        'there is no refresh-token',
        ({ 'refresh-token': _, ...rest }) => rest,
        /^the OIDC login of user "me" has expired, and the kubeconfig has no refresh-token to renew it: log in again$/,
      ],
      [
        'the provider refuses',
        (config) => ({ ...config, 'refresh-token': 'stolen' }),
        /^the OIDC login of user "me" could not be renewed: rejected by the identity provider https:\S+: invalid_grant \(the session is over\): log in again$/,
      ],
      [
        'the provider is not there',
        (config) => ({ ...config, 'idp-issuer-url': 'https://127.0.0.1:1' }),
        /^the OIDC login of user "me" could not be renewed: cannot reach the identity provider https:\/\/127.0.0.1:1: .*ECONNREFUSED.*$/,
      ],
      [
        'the provider is not trusted',
        ({ 'idp-certificate-authority-data': _, ...rest }) => rest,
        /^the OIDC login of user "me" could not be renewed: cannot reach the identity provider \S+: .*certificate.*$/,
      ],
      [
        'there is no such provider',
        (config) => ({ ...config, 'idp-issuer-url': `${config['idp-issuer-url']}/elsewhere` }),
        /^the OIDC login of user "me" could not be renewed: rejected by the identity provider \S+: its discovery answered with status code 404: log in again$/,
      ],
    ])('reports in one line that an OIDC login has ended: %s', async (_why, change, said) => {
      const { login, config } = await issuer()
      const user = provider(change(config(login(start - minute))))
      const got = await refusal({ kubeconfig: kubeconfig(user) })
      expect(got.replace('CredentialsError: ', '')).toMatch(said)
      expect(got).toMatch(/^CredentialsError: /)
    })

    it('continues with the next login when the provider works again', async () => {
      const { login, config } = await issuer()
      const file = kubeconfig(provider(config({ ...login(start + minute), 'refresh-token': 'stolen' })))
      const connection = connect(await access({ kubeconfig: file }))
      test.clock.advanceTo(start + 2 * minute)
      expect(await knock(connection)).toMatch(/^no credentials: the OIDC login of user "me" could not be renewed/)
      const next = login(start + 60 * minute)
      kubeconfig(provider(config(next)))
      expect(await knock(connection)).toBe(`200 ${next['id-token']}`)
    })
  })

  describe('exec plugins', () => {
    const v1 = 'client.authentication.k8s.io/v1'
    /** A plugin that returns the next of the given statuses, and counts its calls. */
    const plugin = (statuses: readonly object[], more: object = {}) => {
      statuses.forEach((status, at) => {
        write(`answer-${at + 1}`, JSON.stringify({ kind: 'ExecCredential', apiVersion: v1, status }))
      })
      const script = 'echo "$KUBERNETES_EXEC_INFO" >> asked; cat "answer-$(wc -l < asked | tr -d " ")"'
      write('plugin.sh', `#!/bin/sh\ncd '${test.folder}' || exit 9\n${script}\n`, 0o700)
      return { exec: { apiVersion: v1, command: './plugin.sh', interactiveMode: 'IfAvailable', ...more } }
    }
    const asked = () => readFileSync(join(test.folder, 'asked'), 'utf8').trim().split('\n')

    it('runs an exec plugin once if its token has no expiry, and passes it the API version', async () => {
      const connection = connect(
        await access({ kubeconfig: kubeconfig(plugin([{ token: 'one' }], { provideClusterInfo: true })) }),
      )
      expect(await knock(connection)).toBe('200 one')
      test.clock.advanceTo(start + 60 * minute)
      expect(await knock(connection)).toBe('200 one')
      expect(asked().map((line) => JSON.parse(line))).toEqual([
        { kind: 'ExecCredential', apiVersion: v1, spec: { interactive: false, cluster: { server: test.door.url } } },
      ])
    })

    it('runs an exec plugin again when the token has expired', async () => {
      const at = (ms: number) => new Date(ms).toISOString()
      const connection = connect(
        await access({
          kubeconfig: kubeconfig(
            plugin([
              { token: 'one', expirationTimestamp: at(start + 5 * minute) },
              { token: 'two', expirationTimestamp: at(start + 15 * minute) },
            ]),
          ),
        }),
      )
      test.clock.advanceTo(start + 4 * minute)
      expect(await knock(connection)).toBe('200 one')
      test.clock.advanceTo(start + 6 * minute)
      expect(await knock(connection)).toBe('200 two')
      expect(asked().length).toBe(2)
    })

    it('asks an exec plugin again once when its credentials are rejected for several requests', async () => {
      const connection = connect(await access({ kubeconfig: kubeconfig(plugin([{ token: 'one' }, { token: 'two' }])) }))
      test.door.allow = (token) => token === 'two'
      const codes = await Promise.all(
        Array.from({ length: 40 }, () => connection.exchange({ method: 'GET', path: '/' })),
      )
      expect(codes.map((answer) => answer.kind === 'answer' && answer.code)).toEqual(Array(40).fill(200))
      expect(asked().length).toBe(2)
    })

    it('accepts a certificate from an exec plugin, and another one later', async () => {
      const pair = () => createCredentials({ now: start, hosts: ['a'], adminToken: '' })
      const [one, two] = [pair(), pair()]
      const certificate = (of: typeof one, until: number) => ({
        clientCertificateData: of.adminCertificate,
        clientKeyData: of.adminKey,
        expirationTimestamp: new Date(until).toISOString(),
      })
      const made = await access({
        kubeconfig: kubeconfig(plugin([certificate(one, start + minute), certificate(two, start + 9 * minute)])),
      })
      const before = made.tls
      expect(before?.cert?.toString()).toBe(one.adminCertificate)
      await made.authorize?.()
      expect(made.tls).toBe(before)
      test.clock.advanceTo(start + 2 * minute)
      await made.authorize?.()
      expect(made.tls).toMatchObject({ cert: two.adminCertificate, key: two.adminKey })
    })

    const shell = (script: string, more: object = {}) => ({
      exec: { apiVersion: v1, command: 'sh', args: ['-c', script], ...more },
    })
    it.each<[what: string, user: object, said: string]>([
      [
        'fails, with what it wrote to its standard error',
        shell('echo "the session is over" >&2; echo "run: cloud login" >&2; exit 7'),
        'the exec plugin "sh" of user "me" failed with exit code 7: the session is over; run: cloud login',
      ],
      ['fails without a word', shell('exit 1'), 'the exec plugin "sh" of user "me" failed with exit code 1'],
      [
        'is not there',
        { exec: { apiVersion: v1, command: 'no-such-plugin', installHint: 'Get it from\nhttps://example.com' } },
        'the exec plugin "no-such-plugin" of user "me" is not installed; Get it from; https://example.com',
      ],
      [
        'answers with something else',
        shell('echo Welcome to the cloud'),
        'the exec plugin "sh" of user "me" did not return JSON: "Welcome to the cloud"',
      ],
      [
        'answers in another version',
        shell('echo \'{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","status":{}}\''),
        'the exec plugin "sh" of user "me" returned kind ExecCredential of client.authentication.k8s.io/v1beta1; ' +
          'the kubeconfig requires an ExecCredential of client.authentication.k8s.io/v1',
      ],
      [
        'answers without credentials',
        shell(`echo '{"kind":"ExecCredential","apiVersion":"${v1}","status":{}}'`),
        'the exec plugin "sh" of user "me" returned neither a token nor a certificate',
      ],
      [
        'wants a terminal',
        shell('read answer && echo "$answer"', { interactiveMode: 'Always' }),
        'the exec plugin "sh" of user "me" requires a terminal (interactiveMode: Always), which berth does not provide',
      ],
      [
        'reads from a standard input that has nothing to say',
        shell('read answer || { echo "no terminal" >&2; exit 3; }', { interactiveMode: 'IfAvailable' }),
        'the exec plugin "sh" of user "me" failed with exit code 3: no terminal',
      ],
    ])('reports in one line that an exec plugin %s', async (_what, user, said) => {
      expect(await refusal({ kubeconfig: kubeconfig(user) })).toBe(`CredentialsError: ${said}`)
    })
  })

  describe('tokens in files', () => {
    it('reads a token file again when it has changed, and at once when the token is rejected', async () => {
      write('token', 'one\n')
      const connection = connect(await access({ kubeconfig: kubeconfig({ tokenFile: 'token', token: 'other' }) }))
      expect(await knock(connection)).toBe('200 one')
      write('token', 'two\n')
      test.clock.advanceTo(start + minute)
      expect(await knock(connection)).toBe('200 two')
      write('token', 'three\n')
      test.door.allow = (token) => token === 'three'
      expect(await knock(connection)).toBe('200 three')
      expect(test.door.seen.length).toBe(4)
    })

    it('finds a token file relative to the second file in $KUBECONFIG', async () => {
      mkdirSync(join(test.folder, 'more'))
      write('more/token', 'second\n')
      const first = kubeconfig({ token: 'first' }, 'first')
      const second = write('more/config', JSON.stringify(configFor({ tokenFile: 'token' }, 'second')))
      vi.stubEnv('KUBECONFIG', [join(test.folder, 'absent'), first, second].join(delimiter))
      expect(await knock(connect(await access({})))).toBe('200 first')
      expect(await knock(connect(await access({ context: 'second' })))).toBe('200 second')
    })

    it('uses the first of two users of one name, and the first of two current contexts', async () => {
      const first = kubeconfig({ token: 'first' })
      const second = write('again', JSON.stringify(configFor({ token: 'second' })))
      vi.stubEnv('KUBECONFIG', [first, second].join(delimiter))
      expect(await knock(connect(await access({})))).toBe('200 first')
    })

    it('uses the token of the service account in a pod, and follows its changes', async () => {
      const account = join(test.folder, 'var/run/secrets/kubernetes.io/serviceaccount')
      mkdirSync(account, { recursive: true })
      writeFileSync(join(account, 'token'), 'pod-1')
      writeFileSync(join(account, 'ca.crt'), 'authority')
      vi.stubEnv('KUBECONFIG', '')
      vi.stubEnv('HOME', test.folder)
      const { hostname, port } = new URL(test.door.url)
      vi.stubEnv('KUBERNETES_SERVICE_HOST', hostname)
      expect(await refusal({ podRoot: test.folder })).toMatch(
        /^Error: found a service account .*SERVICE_PORT is not set$/,
      )
      vi.stubEnv('KUBERNETES_SERVICE_PORT', port)
      const made = await access({ podRoot: test.folder })
      expect(made.server).toBe(`https://${hostname}:${port}`)
      expect(made.tls?.ca?.toString()).toBe('authority')
      const first = await made.authorize?.()
      expect(first).toEqual({ Authorization: 'Bearer pod-1' })
      writeFileSync(join(account, 'token'), 'pod-2')
      expect(await made.authorize?.()).toBe(first)
      test.clock.advanceTo(start + minute)
      const second = await made.authorize?.()
      expect(second).toEqual({ Authorization: 'Bearer pod-2' })
      writeFileSync(join(account, 'token'), 'pod-3')
      expect(await made.authorize?.(second)).toEqual({ Authorization: 'Bearer pod-3' })
    })
  })

  it('repeats a request that is rejected in the middle, with credentials read again', async () => {
    const file = kubeconfig({ token: 'old' })
    const connection = connect(await access({ kubeconfig: file }))
    expect(await knock(connection)).toBe('200 old')
    test.door.allow = () => false
    kubeconfig({ token: 'new' })
    expect(await knock(connection)).toBe('401 new')
    expect(test.door.seen.map(({ authorization }) => authorization)).toEqual(['Bearer old', 'Bearer old', 'Bearer new'])
  })

  it('does not send credentials of another context when the current context changes', async () => {
    const mine = configFor({ token: 'mine' })
    const theirs = configFor({ token: 'theirs' }, 'other')
    const both = (current: string) =>
      write(
        'both',
        JSON.stringify({
          'current-context': current,
          clusters: [...mine.clusters, ...theirs.clusters],
          users: [...mine.users, ...theirs.users],
          contexts: [...mine.contexts, ...theirs.contexts],
        }),
      )
    const connection = connect(await access({ kubeconfig: both('me') }))
    both('other')
    test.clock.advanceTo(start + minute)
    expect(await knock(connection)).toBe('200 mine')
  })

  it('keeps the credentials while the kubeconfig cannot be read for a moment', async () => {
    const file = kubeconfig({ token: 'mine' })
    const connection = connect(await access({ kubeconfig: file }))
    writeFileSync(file, 'clusters: [')
    test.clock.advanceTo(start + minute)
    expect(await knock(connection)).toBe('200 mine')
  })
})
