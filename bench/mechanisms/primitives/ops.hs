-- OP LENGTH ROUNDS: an operation on a container of that length, once a round.
import qualified Data.IORef as R
import Data.List (elemIndex, foldl', nub)
import qualified Data.Map.Strict as M
import System.Environment (getArgs)

type Op = [Int] -> Int -> Int -> Int

append, nth, len, member, final, unique, looked, inited, position, filtered :: Op
append l n i = last (l ++ [i]) -- WASTE append
{-# NOINLINE append #-}
nth l n i = l !! (n - 1 - i `mod` 2) -- WASTE nth
{-# NOINLINE nth #-}
len l n i = length l + i -- WASTE len
{-# NOINLINE len #-}
member l n i = if (-i - 1) `elem` l then 1 else 0 -- WASTE member
{-# NOINLINE member #-}
final l n i = last l + i -- WASTE final
{-# NOINLINE final #-}
unique l n i = length (nub (i : take 300 l)) -- WASTE unique
{-# NOINLINE unique #-}
looked l n i = maybe 0 id (lookup (-i) (zip l l)) -- WASTE looked
{-# NOINLINE looked #-}
inited l n i = sum (take 1 (reverse (init l))) + i -- WASTE inited
{-# NOINLINE inited #-}
position l n i = maybe 0 id (elemIndex (-i) l) -- WASTE position
{-# NOINLINE position #-}
filtered l n i = length (filter (== i) l) -- WASTE filtered
{-# NOINLINE filtered #-}

main :: IO ()
main = do
  [op, a, b] <- getArgs
  let n = read a
      l = [1 .. n]
      run = case op of
        "append" -> append
        "nth" -> nth
        "len" -> len
        "member" -> member
        "final" -> final
        "unique" -> unique
        "looked" -> looked
        "inited" -> inited
        "position" -> position
        _ -> filtered
  other <- R.newIORef M.empty
  sink <- R.newIORef 0
  mapM_ (\i -> do
    let v = run l n i
    v `seq` R.modifyIORef' sink (+ v)
    R.modifyIORef' other (M.insert (i `mod` 64) i)) [1 .. read b :: Int]
  R.readIORef sink >>= print
