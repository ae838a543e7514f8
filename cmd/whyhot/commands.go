package main

import "github.com/spf13/cobra"

// commands lists the subcommands, one line and one file each.
func commands() []*cobra.Command {
	return []*cobra.Command{
		newRecordCmd(),
		newAgentCmd(),
		newReceiveCmd(),
		newServeCmd(),
		newPushCmd(),
		newStoreCmd(),
		newOpenCmd(),
		newExplainCmd(),
		newHuhCmd(),
		newTryCmd(lookUpTarget),
		newCheckCmd(),
		newHuntCmd(),
		newGrowCmd(),
		newCountCmd(),
		newFixCmd(),
		newScanCmd(),
		newImagesCmd(),
		newExplainLoopCmd(),
		newLoopsCmd(),
		newRemarksCmd(),
		newCyclesCmd(),
		newTopCmd(),
		newFlameCmd(),
		newGraphCmd(),
		newLinesCmd(),
		newDiffCmd(),
		newBisectCmd(),
		newFoldCmd(),
		newProfileCmd(),
		newRulesCmd(),
		newMCPCmd(),
		newLSPCmd(),
		newVerifyCmd(),
		newDoctorCmd(),
		newVersionCmd(),
	}
}
