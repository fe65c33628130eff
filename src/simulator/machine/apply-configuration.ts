/** ApplyConfiguration: judged first, then installed, taken over live, or taken over by a reboot. */
import { ConfigRefused } from '../config/parse-config';
import { judgeConfig, type Judgement } from '../config/validate-config';
import {
  ApplyConfigurationRequest_Mode as Mode,
  type ApplyConfigurationRequest,
  type ApplyConfigurationResponse,
} from '../../generated/proto/talos/machine/machine';
import type { SimulatedMachine } from './simulated-machine';
import { failedPrecondition, invalidArgument, unimplemented } from './talos-error';

const ONE_MIB = 1 << 20;

export async function applyConfiguration(
  machine: SimulatedMachine,
  request: ApplyConfigurationRequest,
): Promise<ApplyConfigurationResponse> {
  if (machine.fault.kind === 'reject-config') {
    throw invalidArgument(
      'configuration validation failed: 1 error occurred:\n\t* rejected by an injected fault of the simulator\n',
    );
  }
  const judgement = judge(machine, request);
  if (machine.leaving) {
    throw failedPrecondition('another apply configuration is already in progress');
  }
  return machine.config === undefined
    ? inMaintenance(machine, request, judgement)
    : onNode(machine, request, judgement);
}

function judge(machine: SimulatedMachine, { data }: ApplyConfigurationRequest): Judgement {
  if (data.length > ONE_MIB) {
    throw invalidArgument('configuration is too large');
  }
  try {
    return judgeConfig(data.toString('utf8'), machine.talosMinor);
  } catch (error) {
    if (error instanceof ConfigRefused) {
      throw invalidArgument(error.message);
    }
    throw error;
  }
}

function inMaintenance(
  machine: SimulatedMachine,
  { mode, dryRun }: ApplyConfigurationRequest,
  { config, warnings }: Judgement,
): ApplyConfigurationResponse {
  const old = machine.talosMinor <= 12;
  if (old ? ![Mode.REBOOT, Mode.AUTO, Mode.TRY].includes(mode) : mode === Mode.TRY) {
    throw unimplemented(
      `apply configuration --mode='${Mode[mode].toLowerCase()}' is not supported in maintenance mode`,
    );
  }
  const answer = (modeDetails: string): ApplyConfigurationResponse => ({
    messages: [
      {
        metadata: undefined,
        warnings,
        mode: old ? Mode.REBOOT : Mode.NO_REBOOT,
        modeDetails: old && !dryRun ? '' : modeDetails,
      },
    ],
  });
  if (dryRun) {
    return answer('Dry run summary:\nThe node is in maintenance mode, nothing was applied.');
  }
  machine.install(config);
  return answer('Applied configuration without a reboot: the node installs itself now');
}

async function onNode(
  machine: SimulatedMachine,
  { mode, dryRun }: ApplyConfigurationRequest,
  { config, warnings }: Judgement,
): Promise<ApplyConfigurationResponse> {
  if (mode === Mode.TRY) {
    throw unimplemented('the simulator has no try mode');
  }
  const wantsNothing = machine.config?.text === config.text;
  const reboot = machine.wantsReboot(config);
  if (reboot && mode === Mode.NO_REBOOT) {
    throw invalidArgument("this config change can't be applied in immediate mode: a reboot is required");
  }
  const chosen = mode === Mode.AUTO ? (reboot ? Mode.REBOOT : Mode.NO_REBOOT) : mode;
  const answer = (modeDetails: string): ApplyConfigurationResponse => ({
    messages: [{ metadata: undefined, warnings, mode: chosen, modeDetails }],
  });
  if (dryRun) {
    return answer(`Dry run summary:\n${wantsNothing ? 'No changes.' : 'Config would change.'}`);
  }
  if (chosen === Mode.NO_REBOOT) {
    await machine.reconfigure(config);
    return answer('Applied configuration without a reboot');
  }
  machine.world.files.writeConfig(machine.record.ref, config.text);
  if (chosen === Mode.STAGED) {
    return answer('Staged configuration to be applied after the next reboot');
  }
  machine.reboot();
  return answer('Applied configuration with a reboot');
}
