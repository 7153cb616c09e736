import { readFile, rename, writeFile } from 'node:fs/promises'
import { containsCidr, formatCidr, nthSubnet, parseCidr, subnetCount } from '../api/cidr.ts'
import { type AliasCloud, type CloudAnswer, troubled } from './contract.ts'

/** The file: instances by providerID, and an optional range from which instances without an alias get an alias. */
interface CloudFile {
  readonly instances: Readonly<Record<string, { readonly aliasRanges?: readonly string[] }>>
  readonly assign?: { readonly range: string; readonly maskSize: number }
}

/** A cloud in a file, for labs and tests: to change the cloud, edit the file. */
export function createFileCloud(path: string): AliasCloud {
  return new FileCloud(path)
}

class FileCloud implements AliasCloud {
  private readonly path: string
  /** One change at a time. */
  private last: Promise<unknown> = Promise.resolve()

  constructor(path: string) {
    this.path = path
  }

  close(): void {}

  aliasRanges(providerId: string): Promise<CloudAnswer<readonly string[]>> {
    return this.inTurn(async (file) => {
      const instance = file.instances[providerId]
      if (instance === undefined) return troubled('not-found', `${this.path} has no instance ${providerId}`)
      const { aliasRanges = [] } = instance
      if (aliasRanges.length > 0 || file.assign === undefined) return { ok: true, value: aliasRanges }
      const free = freeBlock(file)
      if (free === undefined) return troubled('exhausted', `${this.path} has no range left to assign`)
      await this.write(withAlias(file, providerId, free))
      return { ok: true, value: [free] }
    })
  }

  addAlias(providerId: string, cidr: string): Promise<CloudAnswer<undefined>> {
    return this.inTurn(async (file) => {
      if (file.instances[providerId] === undefined) {
        return troubled('not-found', `${this.path} has no instance ${providerId}`)
      }
      await this.write(withAlias(file, providerId, cidr))
      return { ok: true, value: undefined }
    })
  }

  private inTurn<T>(work: (file: CloudFile) => Promise<CloudAnswer<T>>): Promise<CloudAnswer<T>> {
    const done = this.last.then(async (): Promise<CloudAnswer<T>> => {
      try {
        return await work(await this.read())
      } catch (error) {
        return troubled('unavailable', error instanceof Error ? error.message : String(error))
      }
    })
    this.last = done
    return done
  }

  private async read(): Promise<CloudFile> {
    const value = JSON.parse(await readFile(this.path, 'utf8')) as Partial<CloudFile>
    if (typeof value.instances !== 'object') throw new Error(`${this.path}: "instances" is missing`)
    return value as CloudFile
  }

  private async write(file: CloudFile): Promise<void> {
    const partial = `${this.path}.partial`
    await writeFile(partial, `${JSON.stringify(file, undefined, 2)}\n`)
    await rename(partial, this.path)
  }
}

function withAlias(file: CloudFile, providerId: string, cidr: string): CloudFile {
  return { ...file, instances: { ...file.instances, [providerId]: { aliasRanges: [cidr] } } }
}

function freeBlock({ assign, instances }: CloudFile): string | undefined {
  const range = assign === undefined ? undefined : parseCidr(assign.range)
  if (assign === undefined || range === undefined) return undefined
  const taken = Object.values(instances)
    .flatMap(({ aliasRanges = [] }) => aliasRanges.map(parseCidr))
    .filter((cidr) => cidr !== undefined)
  for (let place = 0n; place < subnetCount(range, assign.maskSize); place++) {
    const block = nthSubnet(range, assign.maskSize, place)
    if (!taken.some((cidr) => containsCidr(cidr, block) || containsCidr(block, cidr))) return formatCidr(block)
  }
  return undefined
}
