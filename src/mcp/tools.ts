import type { Tool } from './tool.ts'
import { changeTools } from './tools/change.ts'
import { compareTools } from './tools/compare.ts'
import { describeTool } from './tools/describe.ts'
import { drainTool } from './tools/drain.ts'
import { getTool } from './tools/get.ts'
import { lintTool } from './tools/lint.ts'
import { questionTools } from './tools/questions.ts'
import { rolloutTool } from './tools/rollout.ts'
import { searchTool } from './tools/search.ts'
import { timeTools } from './tools/time.ts'
import { workspaceTools } from './tools/workspace.ts'

/** All tools, in the order of `tools/list`. */
export const tools: readonly Tool[] = [
  ...workspaceTools,
  getTool,
  describeTool,
  ...changeTools,
  drainTool,
  rolloutTool,
  ...timeTools,
  ...questionTools,
  lintTool,
  searchTool,
  ...compareTools,
]
