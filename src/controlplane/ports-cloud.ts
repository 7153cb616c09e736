import { readFile } from 'node:fs/promises'
import type { Clock } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import { failed, type Result } from '../base/result.ts'
import type { AliasCloud, CloudAnswer } from '../cloud/contract.ts'
import { createFileCloud } from '../cloud/file-cloud.ts'
import { createGceCloud } from '../cloud/gce-cloud.ts'
import { readGceConfig } from '../cloud/gce-config.ts'
import type { CloudRequest } from '../controllers/node-ipam/cloud-request.ts'
import type { NodeIpamSettings } from '../controllers/node-ipam/options.ts'
import type { Answerer } from '../runtime/run-driver.ts'

export interface CloudPorts {
  readonly settings: Pick<NodeIpamSettings, 'cloudProvider' | 'cloudConfig'>
  readonly clock: Clock
  readonly random: Random
}

/** Answers asks to the cloud in the flags. Passes other asks to `others`. */
export function answerWithCloud(ports: CloudPorts, others: Answerer): Answerer {
  let opened: Promise<Result<AliasCloud>> | undefined
  return async (ask, controller) => {
    if (ask.request.kind !== 'cloud') return others(ask, controller)
    // The cloud is opened on the first ask.
    opened ??= openCloud(ports)
    const cloud = await opened
    if (!cloud.ok) return { kind: 'failed', message: cloud.message }
    const answer = await askOf(cloud.value, ask.request.request as CloudRequest)
    return answer.ok ? { kind: 'ok', value: answer.value } : { kind: 'failed', message: answer.message }
  }
}

function askOf(cloud: AliasCloud, request: CloudRequest): Promise<CloudAnswer<unknown>> {
  switch (request.kind) {
    case 'alias-ranges':
      return cloud.aliasRanges(request.providerId)
    case 'add-alias':
      return cloud.addAlias(request.providerId, request.cidr)
  }
}

async function openCloud({ settings, clock, random }: CloudPorts): Promise<Result<AliasCloud>> {
  const { cloudProvider, cloudConfig } = settings
  switch (cloudProvider) {
    case 'file':
      if (cloudConfig === undefined) return failed('--cloud-provider file requires --cloud-config FILE')
      return { ok: true, value: createFileCloud(cloudConfig) }
    case 'gce': {
      const text = cloudConfig === undefined ? '' : await readFile(cloudConfig, 'utf8').catch(() => undefined)
      if (text === undefined) return failed(`--cloud-config ${cloudConfig} cannot be read`)
      const config = readGceConfig(text)
      if (!config.ok) return failed(`--cloud-config ${cloudConfig}: ${config.message}`)
      return { ok: true, value: createGceCloud({ config: config.value, clock, random: random.stream('gce') }) }
    }
    case undefined:
      return failed('no cloud is configured: set --cloud-provider to gce or file')
    default:
      return failed(`unknown --cloud-provider ${cloudProvider}; supported: gce, file`)
  }
}
