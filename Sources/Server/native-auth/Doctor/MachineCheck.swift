import CHost
import IdentityEngine
import PortableFoundation

/// Checks the machine's clock and the disk of the data.
struct MachineCheck {
    let settings: ServeSettings

    func check(_ notes: Notebook) async {
        switch chost_clock_error() {
        case -1:
            notes.hint(
                "clock", "Nothing sets this machine's clock: \(SystemClock().now.ISO8601Format()).",
                "Run chrony or systemd-timesyncd: codes and tokens end by the clock.")
        case let error where error >= 0: notes.ok("clock", "set by the network, to within \(error / 1_000) ms")
        case _: break
        }
        let folder = settings.dataFolder
        // A folder that is not there yet, or a system that does not tell: the start of the server says more.
        guard let facts = try? FileManager.default.attributesOfFileSystem(forPath: folder),
            let free = facts[.systemFreeSize] as? Int, let size = facts[.systemSize] as? Int, size > 0
        else { return }
        let share = "\(free >> 20) MiB of \(size >> 20) MiB are free at \(folder)"
        if free < 1 << 30 {
            notes.problem("disk", "\(share).", "Make room: without it the server answers 503.")
        } else {
            notes.ok("disk", share)
        }
    }
}
