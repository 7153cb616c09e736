import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { atLeast } from '../../../src/api/releases/at-least.ts'
import type { KubernetesRelease } from '../../../src/api/releases/kubernetes-release.ts'
import { moduleFiles } from '../go-modules.ts'

const cluster = resolve('test/cluster')
const own = join(cluster, 'horizontal-controller')
const name = 'k8s.io/kubernetes/pkg/controller/podautoscaler'

/** Compiles a program that asks the controller of a release, in `folder`: a copy of its package, with a clock that can be set. */
export function buildController(folder: string, release: KubernetesRelease): string {
  const { mod, sum, flags } = moduleFiles(release)
  cpSync(join(cluster, mod), join(folder, 'go.mod'))
  cpSync(join(cluster, sum), join(folder, 'go.sum'))
  const find = ['list', ...flags, '-f', '{{.Dir}}', name]
  const source = execFileSync('go', find, { cwd: cluster, encoding: 'utf8' }).trim()
  const copy = join(folder, 'podautoscaler')
  mkdirSync(copy, { recursive: true })
  for (const file of readdirSync(source)) {
    if (!file.endsWith('.go') || file.endsWith('_test.go')) continue
    const text = readFileSync(join(source, file), 'utf8')
    writeFileSync(join(copy, file), text.replaceAll('time.Now()', 'clock()'))
  }
  cpSync(join(own, 'ask.go.txt'), join(copy, 'ask.go'))
  const prepare = atLeast(release, '1.37') ? 'prepare-from-1.37.go.txt' : 'prepare-from-1.34.go.txt'
  cpSync(join(own, prepare), join(copy, 'prepare.go'))
  const serve = 'if err := podautoscaler.Serve(os.Stdin, os.Stdout); err != nil {\n\t\tpanic(err)\n\t}'
  const imports = 'import (\n\t"os"\n\n\t"berth.dev/test/cluster/podautoscaler"\n)'
  writeFileSync(join(folder, 'main.go'), `package main\n\n${imports}\n\nfunc main() {\n\t${serve}\n}\n`)
  const program = join(folder, 'controller')
  execFileSync('go', ['build', '-o', program, '.'], { cwd: folder, stdio: 'inherit' })
  return program
}
