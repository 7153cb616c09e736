import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../../src/base/log.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { type ApiProcess, startApiProcess } from '../../src/controlplane/api-process.ts'
import { buildParts, clusterRelease, kubectlFile, missing, type RealCluster, startRealCluster } from './real-parts.ts'

const reason = missing(['kube-apiserver'])

/** One command a line; what follows `<<<` is its standard input, with `\n` for line breaks. */
const session = String.raw`
create ns shop
get ns
apply -f @nodes.yaml
apply -f @pod.yaml
describe pod web -n shop
describe node n1
create deployment dep --image=nginx:1 --replicas=3 -n shop
get deploy -n shop -o wide
describe deploy dep -n shop
scale deployment dep --replicas=5 -n shop
set image deployment/dep nginx=nginx:2 -n shop
rollout pause deployment dep -n shop
rollout resume deployment dep -n shop
rollout history deployment dep -n shop
rollout restart deployment dep -n shop
apply --server-side -f - -n shop <<< apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ssa}\ndata: {a: "1"}\n
apply --server-side --field-manager=other -f - -n shop <<< apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ssa}\ndata: {a: "2"}\n
apply --server-side --field-manager=other --force-conflicts -f - -n shop <<< apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ssa}\ndata: {a: "2"}\n
get cm ssa -n shop -o yaml --show-managed-fields
create -f - -n shop <<< apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: job-}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}\n
wait --for=condition=Ready pod/web -n shop --timeout=1s
wait --for=jsonpath={.status.phase}=Pending pod/web -n shop --timeout=1s
drain n1 --ignore-daemonsets --dry-run=server
drain n1
uncordon n1
explain pod.spec.nodeName
explain nonsense
get --raw /apis/scheduling.k8s.io
get --raw /nonsense
create pdb p --selector=app=web --min-available=1 -n shop
describe pdb p -n shop
create priorityclass high --value=1000
get pc
create quota q --hard=pods=2 -n shop
get quota -n shop
create sa robot -n shop
create role r --verb=get --resource=pods -n shop
create rolebinding rb --role=r --serviceaccount=shop:robot -n shop
auth can-i get pods -n shop --as=system:serviceaccount:shop:robot
auth can-i delete pods -n shop --as=system:serviceaccount:shop:robot
create secret generic sec --from-literal=a=b -n shop
describe secret sec -n shop
run bad --image=nginx --restart=Nonsense -n shop
run ok --image=nginx -n shop --labels=a=b
get pods -n shop --show-labels
label pod ok -n shop a-
delete pod ok -n shop --now
delete pod missing -n shop
patch deploy dep -n shop -p {"spec":{"selector":{"matchLabels":{"x":"y"}}}}
create -f - <<< apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: c, image: i, foo: bar}], bogus: 1}\n
create -f - --validate=warn <<< apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: c, image: i, foo: bar}]}\n
create -f - <<< apiVersion: v1\nkind: Pod\nmetadata: {name: x2}\nspec: {containers: [{name: c, image: i, resources: {requests: {cpu: 2, memory: 1x}}}]}\n
create -f - <<< apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: x2}\n
create -f - <<< apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec: {group: example.com, scope: Namespaced, names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd]}, versions: [{name: v1, served: true, storage: true, subresources: {status: {}}, additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}], schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, required: [size], properties: {size: {type: integer, minimum: 1}, color: {type: string, default: red}}}}}}}]}\n
wait --for=condition=Established crd/widgets.example.com --timeout=10s
create -f - -n shop <<< apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: 3}\n
create -f - -n shop <<< apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w0}\nspec: {size: 0}\n
get wd -n shop
get widget w -n shop -o yaml
get clusterroles
get clusterrolebindings
get roles -A
describe clusterrole system:aggregate-to-edit
get --raw /apis/apps/v1
get --raw /apis/batch/v1
get --raw /apis/events.k8s.io/v1
get --raw /apis/apiextensions.k8s.io/v1
get --raw /api/v1/namespaces/shop
get --raw /api/v1/namespaces/shop/pods/web
get --raw /api/v1/namespaces/shop/pods/web?pretty=true
get --raw /api/v1/namespaces/shop/pods/nope
get --raw /api/v1/namespaces/shop/pods/web/nonsense
get --raw /api/v1/namespaces/shop/pods/web/exec
get --raw /api/v1/pods?resourceVersion=abc
get --raw /api/v1/pods?resourceVersion=abc&watch=1
get --raw /api/v1/pods?resourceVersionMatch=Exact
get --raw /api/v1/pods?continue=abc
get --raw /api/v1/pods?continue=!!
get --raw /api/v1/pods?sendInitialEvents=true
get --raw /api/v1/pods?timeoutSeconds=x
get --raw /api/v1/pods?labelSelector=a=b=c
get --raw /api/v1/pods?fieldSelector=x
get --raw /api/v1/namespaces/shop/deployments
get --raw /apis/apps/v1/namespaces/shop/deployments/dep/scale
get --raw /apis/policy/v1/namespaces/shop/poddisruptionbudgets/p
get --raw /apis/scheduling.k8s.io/v1/priorityclasses/high
get --raw /apis/rbac.authorization.k8s.io/v1/namespaces/shop/rolebindings/rb
get --raw /api/v1/namespaces/shop/serviceaccounts/robot
delete --raw /api/v1/namespaces/shop/pods/nope
create --raw /api/v1/namespaces/shop/pods -f - <<< {}
create --raw /api/v1/namespaces/shop/pods -f - <<< []
create --raw /api/v1/namespaces/shop/pods -f - <<< nonsense
create --raw /api/v1/namespaces/shop/pods -f - <<< {"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"other"}}
create --raw /api/v1/namespaces/shop/pods -f - <<< {"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"3"}}
create --raw /api/v1/namespaces/shop/pods/web/binding -f - <<< {"kind":"Binding","apiVersion":"v1","metadata":{"name":"web"},"target":{"name":""}}
create --raw /api/v1/namespaces/shop/pods/web/binding -f - <<< {"kind":"Binding","apiVersion":"v1","metadata":{"name":"web"},"target":{"kind":"Pod","name":"x"}}
create --raw /api/v1/namespaces/shop/pods/nope/eviction -f - <<< {"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"nope"}}
create job j1 --image=busybox -n shop -- sleep 1
describe job j1 -n shop
get --raw /apis/batch/v1/namespaces/shop/jobs/j1
create cronjob cj2 --image=busybox --schedule=nonsense -n shop
create ingress ing --rule=foo.com/bar=svc1:8080 -n shop
describe ingress ing -n shop
create priorityclass system-x --value=100
create priorityclass big --value=2000000001
set env deployment/dep A=B -n shop
set resources deployment/dep --limits=cpu=1,memory=1Gi --requests=cpu=500m -n shop
patch deployment dep -n shop --subresource=scale --type=merge -p {"spec":{"replicas":4}}
get deployment dep -n shop --subresource=scale -o yaml
scale --replicas=2 --current-replicas=9 deployment/dep -n shop
scale --replicas=-1 deployment/dep -n shop
label node n1 pool=b --overwrite --resource-version=1
label pod web -n shop bad/label/x=y
replace -f - <<< {"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"nope","namespace":"shop"},"data":{"z":"1"}}
auth can-i --list --as=ann
auth can-i list pods --as=ann --as-group=system:masters
get endpoints -n shop
delete ns kube-system --wait=false
delete ns default --wait=false
delete crd widgets.example.com
delete pods,deploy,cm,job,pdb --all -n shop
delete ns shop --wait=false
get ns shop
delete node n1 n2
`

const placeholders: readonly [RegExp, string][] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/\w{3}, \d\d \w{3} \d{4} [\d:]+ [+-]\d{4}/g, '<date>'],
  [/resourceVersion: "?\d+"?/g, 'resourceVersion: <rv>'],
  [/"resourceVersion": ?"\d+"/g, '"resourceVersion":"<rv>"'],
  [/\bjob-[a-z0-9]{5}\b/g, 'job-<random>'],
  [/https:\/\/127\.0\.0\.1:\d+/g, '<server>'],
  [/(\s)(\d+m)?\d+s(?=\s|$)/gm, '$1<age>'],
  [/<age> +/g, '<age>  '],
  [/ +$/gm, ''],
]

const manifest = (name: string) => resolve('test/golden/manifests', name)

describe.skipIf(reason !== undefined)(
  `kubectl against both API servers${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-kubectl-'))
    let real: RealCluster
    let ours: ApiProcess
    const kubeconfigs: Record<'real' | 'ours', string> = { real: '', ours: join(folder, 'ours') }
    beforeAll(async () => {
      buildParts(['kube-apiserver'])
      real = await startRealCluster()
      kubeconfigs.real = real.kubeconfig
      ours = await startApiProcess({
        host: '127.0.0.1',
        port: 0,
        clock: new RealClock(),
        log: silentLogger,
        release: clusterRelease,
        authorizationModes: ['RBAC'],
      })
      writeFileSync(kubeconfigs.ours, ours.kubeconfig)
    })
    afterAll(async () => {
      await real?.close()
      await ours?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    const say = async (which: 'real' | 'ours', line: string): Promise<string> => {
      const [command = '', input] = line.split(' <<< ')
      const args = command.split(' ').map((word) => (word.startsWith('@') ? manifest(word.slice(1)) : word))
      const child = spawn(kubectlFile(), [
        '--kubeconfig',
        kubeconfigs[which],
        '--cache-dir',
        join(folder, which, 'cache'),
        ...args,
      ])
      let out = ''
      child.stdout.on('data', (chunk) => {
        out += chunk
      })
      child.stderr.on('data', (chunk) => {
        out += chunk
      })
      child.stdin.end(input?.replaceAll('\\n', '\n'))
      const code = await new Promise((done) => child.on('close', done))
      for (const [pattern, placeholder] of placeholders) out = out.replace(pattern, placeholder)
      return `${out}[exit ${code}]`
    }

    it.each(
      session
        .trim()
        .split('\n')
        .map((line) => [line]),
    )('%s', async (line) => {
      const wanted = await say('real', line)
      expect(await say('ours', line)).toBe(wanted)
    })
  },
)
