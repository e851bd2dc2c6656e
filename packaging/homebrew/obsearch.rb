# A template: the release workflow fills in what stands between double underscores.
class Obsearch < Formula
  desc "Search in an Obsidian vault for AI clients, with private notes out of reach"
  homepage "https://github.com/__REPOSITORY__"
  version "0.1.0"
  license "MIT"

  on_macos do
    on_arm do
      url "https://github.com/__REPOSITORY__/releases/download/v#{version}/obsearch-aarch64-apple-darwin.tar.gz"
      sha256 "__SHA256_aarch64-apple-darwin__"
    end
    on_intel do
      url "https://github.com/__REPOSITORY__/releases/download/v#{version}/obsearch-x86_64-apple-darwin.tar.gz"
      sha256 "__SHA256_x86_64-apple-darwin__"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/__REPOSITORY__/releases/download/v#{version}/obsearch-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "__SHA256_aarch64-unknown-linux-gnu__"
    end
    on_intel do
      url "https://github.com/__REPOSITORY__/releases/download/v#{version}/obsearch-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "__SHA256_x86_64-unknown-linux-gnu__"
    end
  end

  def install
    bin.install "obsearch"
    man1.install Dir["man1/*.1"]
    generate_completions_from_executable(bin/"obsearch", "completions")
  end

  test do
    (testpath/"Notes").mkpath
    (testpath/"Notes/Boat.md").write "# Boat\n\nThe hull needs paint.\n"
    system bin/"obsearch", "init", "--vault", testpath/"Notes"
    assert_match "Boat.md", shell_output("#{bin}/obsearch search --mode keyword hull")
  end
end
